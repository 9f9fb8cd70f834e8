package dev.varve.store.adapter;

import dev.varve.store.MutationBatch;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.List;

/** Rejects writes to a table that was opened read-only. */
public final class ReadOnly {
  private ReadOnly() {}

  public static String reason(TableSpec spec) {
    return "table '%s' was opened read-only".formatted(spec.name());
  }

  /** Returns one rejection for each mutation. */
  public static List<RowOutcome> refuse(TableSpec spec, MutationBatch batch) {
    List<RowOutcome> outcomes = new ArrayList<>();
    for (int first = 0; first < batch.size(); first = batch.mutationEnd(first)) {
      outcomes.add(new RowOutcome(Status.REJECTED, reason(spec)));
    }
    return outcomes;
  }
}
