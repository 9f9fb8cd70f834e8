package dev.varve.bench;

import com.sun.management.OperatingSystemMXBean;
import dev.varve.engine.Dataset;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.usage.QueryKind;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.promql.eval.PromQuery;
import dev.varve.query.promql.eval.PromSettings;
import dev.varve.query.running.QueryUse;
import dev.varve.store.ReadCost;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;

/**
 * Measures the cost of the query log: the processor time of a note beside that of two queries of
 * PromQL. They run within the process, without HTTP, on RocksDB in {@code blocks}, and their
 * samples are still in memory, which is the cheapest case. The log knows 1,000 kinds. Processor
 * time does not depend on other work of the machine.
 */
public final class QueryLogBenchmark {
  private static final int SERIES = 1_000;
  private static final int SAMPLES = 360;
  private static final int KINDS = 1_000;
  private static final long STEP = 10_000;
  private static final String METRIC = "http_requests_total";

  private final Dataset dataset;
  private final long end = System.currentTimeMillis() / STEP * STEP;
  private final ReadRequest request =
      ReadRequest.of(
          Selector.metric(METRIC, new TagFilter.Equal("host", "web-0007")),
          new TimeRange(end - SAMPLES * STEP, end));
  private int call;

  private QueryLogBenchmark(Dataset dataset) {
    this.dataset = dataset;
  }

  /** Prints the measures. */
  public static void main(String[] args) throws IOException {
    try (ScratchEngine engine =
        ScratchEngine.open(
            new StoreConfig("rocksdb", Map.of("sync", "false")),
            Layouts.stored("blocks", Map.of()),
            false,
            256L << 20)) {
      new QueryLogBenchmark(engine.dataset()).measure();
    }
  }

  private void measure() {
    write();
    double note = nanos(this::note, 1_000_000);
    double instant = nanos(this::instant, 50_000);
    double range = nanos(this::range, 10_000);
    System.out.printf("a note: %.0f ns%n", note);
    print("an instant query of one series", instant, note);
    print("an hour of 10 series, summed", range, note);
  }

  private static void print(String query, double nanos, double note) {
    System.out.printf(
        "%s: %.1f us, of which the log %.2f %%%n", query, nanos / 1000, 100 * note / nanos);
  }

  private void write() {
    for (int i = 0; i < SERIES; i++) {
      BatchBuilder batch = new BatchBuilder();
      BatchBuilder.GroupBuilder group =
          batch.group(GroupKey.of(METRIC, Tags.of("host", "web-%04d".formatted(i))));
      for (int sample = 0; sample < SAMPLES; sample++) {
        group.add("value", end - (SAMPLES - sample) * STEP, 0.5 * sample);
      }
      dataset.write(batch.build());
    }
  }

  /** Notes a query of one of the kinds, as a read does that has ended. */
  private void note() {
    QueryKind kind = new QueryKind("promql", "sum by (host)", 15_000L * (1 + call++ % KINDS));
    dataset.usage().noteQuery(kind, request, 1, SAMPLES, ReadCost.NOTHING, 1);
  }

  private QueryUse use() {
    return QueryUse.of(QueryLimits.DEFAULTS);
  }

  private void instant() {
    new PromQuery(
            METRIC + "{host=\"web-%04d\"}".formatted(call++ % SERIES),
            dataset,
            use(),
            PromSettings.DEFAULTS)
        .instant(end - 1);
  }

  private void range() {
    new PromQuery(
            "sum(rate(%s{host=~\"web-00%d.\"}[5m]))".formatted(METRIC, call++ % 10),
            dataset,
            use(),
            PromSettings.DEFAULTS)
        .range(end - SAMPLES * STEP, end - 1, Duration.ofMinutes(1));
  }

  /** Returns the processor time of a call, of all threads, after as many calls to warm up. */
  private static double nanos(Runnable call, int calls) {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    long began = 0;
    for (int i = 0; i < 2 * calls; i++) {
      if (i == calls) {
        began = system.getProcessCpuTime();
      }
      call.run();
    }
    return (double) (system.getProcessCpuTime() - began) / calls;
  }
}
