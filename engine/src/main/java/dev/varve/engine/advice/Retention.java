package dev.varve.engine.advice;

import dev.varve.engine.advice.Advice.Reason;
import dev.varve.engine.periods.OpenDataset;
import java.time.Duration;
import java.util.List;

/** Compares the retention of samples with the time by which queries reach back. */
final class Retention {
  /** Minimum time covered by logged queries; less says too little about later queries. */
  private static final Duration OBSERVED = Duration.ofDays(7);

  /** Samples are kept at least this many times as long as queries go back. */
  private static final int MARGIN = 2;

  private final OpenDataset dataset;
  private final Workload workload;
  private final SeriesRates rates;

  Retention(OpenDataset dataset, Workload workload, SeriesRates rates) {
    this.dataset = dataset;
    this.workload = workload;
    this.rates = rates;
  }

  List<Reason> reasons() {
    if (rates.extent().isEmpty() || workload.queries().isEmpty()) {
      return List.of();
    }
    double perMilli = dataset.resolution().perSecond() / 1000.0;
    long now = dataset.clock().systemMicros() / 1000;
    double oldest = now - Math.max(0, rates.extent().from()) / perMilli;
    long since =
        workload.queries().stream().mapToLong(one -> one.logged().since()).min().orElse(now);
    long days = Math.ceilDiv(workload.reachMillis() * MARGIN, Duration.ofDays(1).toMillis());
    long kept = Duration.ofDays(days).toMillis();
    Duration retention = dataset.config().retention();
    boolean keepsLonger = retention == null || retention.toMillis() > kept;
    if (now - since < OBSERVED.toMillis() || !keepsLonger || oldest < MARGIN * kept) {
      return List.of();
    }
    return List.of(
        new Reason(
            Rule.RETENTION,
            "In %d days no query went back further than %d days, and samples of %.0f days are kept. With 'retention: %dd' in the configuration about %.0f %% of them could go. Check first whether anybody needs them."
                .formatted(
                    (now - since) / Duration.ofDays(1).toMillis(),
                    Math.ceilDiv(days, MARGIN),
                    oldest / Duration.ofDays(1).toMillis(),
                    days,
                    100 * (1 - kept / oldest))));
  }
}
