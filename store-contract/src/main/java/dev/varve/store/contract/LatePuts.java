package dev.varve.store.contract;

import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.MutationBatch.Edit;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowOutcome;
import dev.varve.store.Slice;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Puts still in flight after their callers stopped waiting. Of two puts into one column of a {@code
 * CLOCK} family, the later one must win regardless of arrival order. An embedded store keeps the
 * last put it received, which is only correct for ordered writers, so overtaken puts are filtered
 * out here.
 */
final class LatePuts {
  private record InFlight(Table table, MutationBatch mutation) {}

  private final Deque<InFlight> waiting = new ArrayDeque<>();

  /** Tables to be closed once nothing is in flight to them. */
  private final Set<Table> closing = new HashSet<>();

  private final boolean keepsLast;

  /**
   * Creates an empty queue.
   *
   * @param keepsLast whether the store keeps the last put it received, whatever its time
   */
  LatePuts(boolean keepsLast) {
    this.keepsLast = keepsLast;
  }

  static boolean isPuts(MutationBatch mutation) {
    for (int edit = 0; edit < mutation.size(); edit++) {
      if (mutation.edit(edit) != Edit.PUT) {
        return false;
      }
    }
    return true;
  }

  void add(Table table, MutationBatch mutation) {
    waiting.add(new InFlight(table, mutation));
  }

  /** Applies some of the puts in flight, oldest first. */
  void arrive(int count) {
    for (int i = 0; i < count && !waiting.isEmpty(); i++) {
      InFlight next = waiting.remove();
      apply(next.table(), next.mutation(), Durability.SYNCED);
      if (closing.contains(next.table()) && !isAwaited(next.table())) {
        closing.remove(next.table());
        next.table().close();
      }
    }
  }

  /** Closes a table as soon as nothing is in flight to it. */
  void close(Table table) {
    if (isAwaited(table)) {
      closing.add(table);
    } else {
      table.close();
    }
  }

  private boolean isAwaited(Table table) {
    return waiting.stream().anyMatch(put -> put.table().equals(table));
  }

  /** Applies a batch without the puts that a newer cell has overtaken. */
  List<RowOutcome> apply(Table table, MutationBatch batch, Durability durability) {
    if (!keepsLast) {
      return table.apply(batch, durability);
    }
    MutationBatch rest = new MutationBatch();
    boolean overtaken = false;
    for (int edit = 0; edit < batch.size(); edit++) {
      if (batch.edit(edit) == Edit.PUT && isOvertaken(table, batch, edit)) {
        overtaken = true;
      } else {
        rest.addFrom(batch, edit);
      }
    }
    // Dropping all edits of a mutation would also drop its outcome, so outcomes are collapsed.
    return !overtaken
        ? table.apply(batch, durability)
        : rest.isEmpty() ? List.of() : allOrNothing(table.apply(rest, durability));
  }

  private static List<RowOutcome> allOrNothing(List<RowOutcome> outcomes) {
    if (!outcomes.isEmpty()) {
      throw new AssertionError(
          "the overtaking put was applied, but the overtaken one failed: " + outcomes);
    }
    return outcomes;
  }

  private static boolean isOvertaken(Table table, MutationBatch batch, int edit) {
    TableSpec spec = table.spec();
    int family = batch.cells().family(edit);
    FamilySpec of = spec.families().get(family);
    if (of.time() != TimeUse.CLOCK || of.maxVersions() != 1) {
      return false;
    }
    Bytes row = batch.cells().row(edit);
    byte[] key = row.toArray();
    Bytes partition = row.slice(0, spec.partitioning().prefixLength(key, 0, key.length));
    ReadPlan plan =
        ReadPlan.of(
            List.of(Slice.row(partition, row)),
            List.of(
                new FamilySelect(
                    family,
                    List.of(QualifierRange.exactly(batch.cells().qualifier(edit))),
                    TimeRange.ALL,
                    1)));
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      return cursor.next(page) && page.time(0) > batch.cells().time(edit);
    }
  }
}
