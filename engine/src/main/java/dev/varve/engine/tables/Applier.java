package dev.varve.engine.tables;

import dev.varve.engine.error.WriteFailedException;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.RowOutcome;
import dev.varve.store.SizeLimits;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Applies batches to a table. Retries mutations that were not applied, a limited number of times.
 */
public final class Applier {
  private static final long[] PAUSE_MILLIS = {5, 50, 250};

  /**
   * A mutation that the store rejected permanently.
   *
   * @param first index of its first edit in the batch
   * @param end index after its last edit
   */
  public record Rejected(MutationBatch batch, int first, int end, String reason) {}

  private final Table table;
  private final int editsPerRow;
  private final long mutationBytes;

  /**
   * @param limits size limits of a mutation
   */
  public Applier(Table table, SizeLimits limits) {
    this.table = table;
    this.editsPerRow = limits.editsPerRow();
    this.mutationBytes = limits.mutationBytes();
  }

  /**
   * Applies a batch.
   *
   * @param longest number of edits of its longest mutation
   * @return the rejected mutations; everything else was applied
   * @throws WriteFailedException if an outcome is unknown or retries are exhausted
   */
  public List<Rejected> apply(MutationBatch batch, int longest, Durability durability) {
    return apply(batch, longest, durability, null);
  }

  /**
   * Applies a batch whose cells expire.
   *
   * @param longest number of edits of its longest mutation
   * @param lifetime null for no expiry; otherwise the table must have {@link Power.Expiry}
   * @return the rejected mutations; everything else was applied
   * @throws WriteFailedException if an outcome is unknown or retries are exhausted
   */
  public List<Rejected> apply(
      MutationBatch batch, int longest, Durability durability, @Nullable Duration lifetime) {
    List<Rejected> rejected = new ArrayList<>(0);
    if (longest <= editsPerRow && isLight(batch)) {
      applyAgain(batch, durability, lifetime, rejected);
      return rejected;
    }
    MutationBatch piece = new MutationBatch();
    int inRow = 0;
    long bytes = 0;
    for (int edit = 0; edit < batch.size(); edit++) {
      boolean sameRow = edit > 0 && batch.cells().sameRow(edit - 1, edit);
      long weight = SizeLimits.editBytes(batch, edit);
      inRow = sameRow ? inRow + 1 : 1;
      bytes = sameRow ? bytes + weight : weight;
      if (inRow > 1 && (inRow > editsPerRow || bytes > mutationBytes)) {
        applyAgain(piece, Durability.ORDERED, lifetime, rejected);
        piece = new MutationBatch();
        inRow = 1;
        bytes = weight;
      }
      piece.addFrom(batch, edit);
    }
    applyAgain(piece, durability, lifetime, rejected);
    return rejected;
  }

  /** Returns whether the whole batch is within the size limit of one mutation. */
  private boolean isLight(MutationBatch batch) {
    if (mutationBytes == Long.MAX_VALUE) {
      return true;
    }
    long bytes = 0;
    for (int edit = 0; edit < batch.size(); edit++) {
      bytes += SizeLimits.editBytes(batch, edit);
    }
    return bytes <= mutationBytes;
  }

  private void applyAgain(
      MutationBatch batch,
      Durability durability,
      @Nullable Duration lifetime,
      List<Rejected> rejected) {
    MutationBatch pending = batch;
    for (int attempt = 0; ; attempt++) {
      List<RowOutcome> outcomes = applyOnce(pending, durability, lifetime);
      if (outcomes.isEmpty()) {
        return;
      }
      MutationBatch rest = new MutationBatch();
      String reason = sort(pending, outcomes, rest, rejected);
      if (rest.isEmpty()) {
        return;
      }
      if (attempt == PAUSE_MILLIS.length) {
        throw new WriteFailedException(
            "table '%s' did not apply a write in %d attempts: %s"
                .formatted(table.spec().name(), attempt + 1, reason),
            false);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS[attempt]));
      pending = rest;
    }
  }

  private List<RowOutcome> applyOnce(
      MutationBatch batch, Durability durability, @Nullable Duration lifetime) {
    try {
      return lifetime == null
          ? table.apply(batch, durability)
          : table.power(Power.Expiry.class).orElseThrow().apply(batch, durability, lifetime);
    } catch (StoreException e) {
      throw new WriteFailedException(
          "table '%s' cannot be written: %s".formatted(table.spec().name(), e.getMessage()),
          e.unknown());
    }
  }

  /**
   * Separates mutations that were rejected from those to retry.
   *
   * @return the last reason for a retry
   */
  private String sort(
      MutationBatch batch, List<RowOutcome> outcomes, MutationBatch rest, List<Rejected> rejected) {
    String lastReason = "";
    int mutation = 0;
    int end;
    for (int first = 0; first < batch.size(); first = end) {
      end = batch.mutationEnd(first);
      RowOutcome outcome = outcomes.get(mutation++);
      String reason = String.valueOf(outcome.reason());
      switch (outcome.status()) {
        case APPLIED -> {}
        case REJECTED -> rejected.add(new Rejected(batch, first, end, reason));
        case UNKNOWN ->
            throw new WriteFailedException(
                "table '%s': the outcome of a write is unknown: %s"
                    .formatted(table.spec().name(), reason),
                true);
        case NOT_APPLIED -> {
          lastReason = reason;
          for (int edit = first; edit < end; edit++) {
            rest.addFrom(batch, edit);
          }
        }
      }
    }
    return lastReason;
  }
}
