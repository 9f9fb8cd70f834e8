package dev.varve.store.hbase;

import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts the outcomes of writes, for the operator of the store. */
final class WriteCounts {
  private final LongAdder applied = new LongAdder();
  private final LongAdder triedAgain = new LongAdder();
  private final LongAdder rejected = new LongAdder();
  private final LongAdder notApplied = new LongAdder();
  private final LongAdder unknown = new LongAdder();

  void triedAgain(int rows) {
    triedAgain.add(rows);
  }

  void applied(int rows) {
    applied.add(rows);
  }

  void failed(Failure.Kind kind) {
    switch (kind) {
      case REFUSED -> rejected.increment();
      case NOT_APPLIED -> notApplied.increment();
      case UNKNOWN -> unknown.increment();
    }
  }

  void addTo(Map<String, Double> figures) {
    figures.put("rows_applied_total", (double) applied.sum());
    figures.put("rows_tried_again_total", (double) triedAgain.sum());
    figures.put("rows_rejected_total", (double) rejected.sum());
    figures.put("rows_not_applied_total", (double) notApplied.sum());
    figures.put("rows_unknown_total", (double) unknown.sum());
  }
}
