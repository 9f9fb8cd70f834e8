package dev.varve.bench;

import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.layout.registry.Layouts;
import dev.varve.query.promql.eval.PromQuery;
import dev.varve.query.promql.eval.PromResult;
import dev.varve.query.promql.eval.PromSettings;
import dev.varve.query.running.Runs;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures PromQL's operators over 4,000 series of six hours with one sample every ten seconds, at
 * 360 steps of one minute: 3,000 counters and 1,000 histogram buckets. The first query only reads
 * the counters. The additional time of another query over all counters is that of its operator.
 */
@SuppressWarnings("NullAway.Init") // JMH calls the method marked @Setup before all others.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xmx2g", "--enable-native-access=ALL-UNNAMED"})
@Warmup(iterations = 2, time = 3)
@Measurement(iterations = 3, time = 3)
public class PromQlBenchmark {
  private static final int SERIES = 4_000;

  @Param({"memory", "rocksdb"})
  private String store = "memory";

  @Param({
    "cpu_seconds_total",
    "-cpu_seconds_total",
    "cpu_seconds_total offset 1h",
    "cpu_seconds_total @ end()",
    "sum(cpu_seconds_total)",
    "sum by (instance) (cpu_seconds_total)",
    "min(cpu_seconds_total)",
    "max(cpu_seconds_total)",
    "avg(cpu_seconds_total)",
    "count(cpu_seconds_total)",
    "group(cpu_seconds_total)",
    "stddev(cpu_seconds_total)",
    "quantile(0.9, cpu_seconds_total)",
    "topk(5, cpu_seconds_total)",
    "count_values('v', sgn(cpu_seconds_total))",
    "sum(cpu_seconds_total * 2)",
    "sum(cpu_seconds_total > 1000)",
    "sum(cpu_seconds_total > bool 1000)",
    "sum(cpu_seconds_total{mode='user'} + on (instance, cpu) cpu_seconds_total{mode='system'})",
    "sum(cpu_seconds_total / on (instance) group_left sum by (instance) (cpu_seconds_total))",
    "sum(cpu_seconds_total{mode='user'} and on (instance, cpu) cpu_seconds_total{mode='system'})",
    "sum(cpu_seconds_total{mode='user'} or cpu_seconds_total{mode='system'})",
    "sum(cpu_seconds_total{mode='user'} unless on (instance, cpu) cpu_seconds_total{mode='system'})",
    "sum(abs(cpu_seconds_total))",
    "sum(timestamp(cpu_seconds_total))",
    "absent(cpu_seconds_total)",
    "sum(label_replace(cpu_seconds_total, 'x', '$1', 'instance', 'web-(.*)'))",
    "sum(rate(cpu_seconds_total[5m]))",
    "sum(irate(cpu_seconds_total[5m]))",
    "sum(increase(cpu_seconds_total[5m]))",
    "sum(rate(cpu_seconds_total[1h]))",
    "sum(avg_over_time(cpu_seconds_total[1h]))",
    "sum(max_over_time(cpu_seconds_total[1h]))",
    "sum(changes(cpu_seconds_total[1h]))",
    "sum(resets(cpu_seconds_total[1h]))",
    "sum(stddev_over_time(cpu_seconds_total[1h]))",
    "sum(quantile_over_time(0.9, cpu_seconds_total[1h]))",
    "sum(deriv(cpu_seconds_total[1h]))",
    "sum(predict_linear(cpu_seconds_total[1h], 60))",
    "max_over_time(sum(rate(cpu_seconds_total[5m]))[1h:1m])",
    "histogram_quantile(0.99, sum by (le) (rate(latency_seconds_bucket[5m])))",
    "sum(histogram_quantile(0.99, rate(latency_seconds_bucket[5m])))"
  })
  private String query = "";

  private ScratchEngine engine;

  /** Writes the series. */
  @Setup
  public void write() throws IOException {
    engine =
        ScratchEngine.open(
            new StoreConfig(store, Map.of()),
            List.of(Layouts.of(Layouts.OF_CELLS, Map.of())),
            false,
            EngineConfig.DEFAULT_MEMORY);
    new MonitoringSeries(SERIES).write(engine.dataset());
  }

  /** Closes the engine and deletes its files. */
  @TearDown
  public void close() throws IOException {
    engine.close();
  }

  /** Runs one query over a range of six hours. */
  @Benchmark
  public PromResult range() {
    return new PromQuery(query, Runs.of(engine.dataset()), PromSettings.DEFAULTS)
        .range(MonitoringSeries.START, MonitoringSeries.END - 1, Duration.ofMinutes(1));
  }
}
