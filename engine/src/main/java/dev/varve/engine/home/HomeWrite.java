package dev.varve.engine.home;

import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Applies idempotent edits durably to tables of the home. */
final class HomeWrite {
  private static final int TRIES = 4;

  private HomeWrite() {}

  /**
   * Applies edits durably. Retries briefly if an edit was not applied.
   *
   * @throws StoreException if the write fails
   */
  static void apply(Table table, MutationBatch edits) {
    List<RowOutcome> outcomes = table.apply(edits, Durability.SYNCED);
    for (int tries = 1; tries < TRIES && has(outcomes, Status.NOT_APPLIED); tries++) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50L * tries));
      outcomes = table.apply(edits, Durability.SYNCED);
    }
    for (RowOutcome outcome : outcomes) {
      if (!outcome.applied()) {
        throw new StoreException(
            "table '%s' cannot be written: %s".formatted(table.spec().name(), outcome.reason()),
            null,
            has(outcomes, Status.UNKNOWN));
      }
    }
  }

  private static boolean has(List<RowOutcome> outcomes, Status status) {
    return outcomes.stream().anyMatch(outcome -> outcome.status() == status);
  }
}
