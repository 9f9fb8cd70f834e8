package dev.varve.store.bigtable;

import com.google.cloud.bigtable.data.v2.models.ConditionalRowMutation;
import com.google.cloud.bigtable.data.v2.models.Filters.Filter;
import com.google.cloud.bigtable.data.v2.models.Mutation;
import com.google.cloud.bigtable.data.v2.models.TableId;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import org.jspecify.annotations.Nullable;

/**
 * A mutation that depends on the current state of its row: a read, and a write on condition that
 * nothing has changed since. If something has, both are repeated.
 */
final class LookedWrite {
  private final BigtableStore store;
  private final MutationEncoder encoder;
  private final int first;
  private final int end;

  LookedWrite(BigtableStore store, MutationEncoder encoder, int first, int end) {
    this.store = store;
    this.encoder = encoder;
    this.first = first;
    this.end = end;
  }

  RowOutcome run() {
    String what = "writing to table '%s'".formatted(encoder.table().spec().name());
    Attempts afterFailures = store.attempts();
    Attempts afterChanges = store.attemptsAgainstOthers();
    FailedCall unknown = null;
    try {
      while (true) {
        RowOutcome outcome;
        boolean again;
        try {
          RowOutcome end = attempt();
          outcome = end == null ? changed(what) : end;
          again = end == null && afterChanges.awaitNext();
        } catch (FailedCall e) {
          unknown = e.mayBeApplied() ? e : unknown;
          outcome = e.outcome(what);
          again = e.isWorthRetrying() && afterFailures.awaitNext();
        }
        if (!again) {
          return outcome.applied() || unknown == null ? outcome : unknown.outcome(what);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new RowOutcome(
          unknown == null ? Status.NOT_APPLIED : Status.UNKNOWN, what + " was interrupted");
    }
  }

  private static RowOutcome changed(String what) {
    return new RowOutcome(Status.NOT_APPLIED, what + ": other writers keep changing the row");
  }

  /** Returns the outcome; null if other writers changed the row in between. */
  private @Nullable RowOutcome attempt() {
    TableMapping table = encoder.table();
    ReceivedRow row = store.readRow(table, encoder.key(first), RowState.look(encoder, first, end));
    RowState state = new RowState(encoder, first, end, row);
    if (state.edits() > BatchWrite.REQUEST_EDITS_MAX) {
      return new RowOutcome(
          Status.REJECTED,
          "row %s has %d columns to delete, but at most %d can be deleted at once"
              .formatted(
                  encoder.batch().cells().row(first), state.edits(), BatchWrite.REQUEST_EDITS_MAX));
    }
    Mutation mutation = Mutation.create();
    int edits = state.encode(mutation);
    if (edits == 0) {
      return RowOutcome.APPLIED;
    }
    Filter changed = store.options().transactions() ? state.changed() : null;
    if (changed == null) {
      return write(edits, mutation);
    }
    boolean hasChanged =
        store.mutateIf(
            ConditionalRowMutation.create(TableId.of(table.id()), encoder.key(first))
                .condition(changed)
                .otherwise(mutation));
    return hasChanged ? null : RowOutcome.APPLIED;
  }

  /** Writes unconditionally, if no condition can be expressed. */
  private RowOutcome write(int edits, Mutation mutation) {
    @Nullable RowOutcome[] outcome = new RowOutcome[1];
    BatchWrite write = new BatchWrite(store, encoder.table());
    write.add(0, encoder.key(first), mutation, edits, encoder.weight(first, end));
    write.run(outcome);
    return outcome[0] == null ? RowOutcome.APPLIED : outcome[0];
  }
}
