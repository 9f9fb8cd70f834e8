package dev.varve.bench;

import dev.varve.engine.DatasetConfig;
import dev.varve.engine.DatasetConfig.PeriodConfig;
import dev.varve.engine.DatasetConfig.StoreConfig;
import dev.varve.engine.Engine;
import dev.varve.engine.EngineConfig;
import dev.varve.layout.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.query.Runs;
import dev.varve.query.promql.eval.PromQuery;
import dev.varve.query.promql.eval.PromResult;
import dev.varve.query.promql.eval.PromSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
 * PromQL operator by operator, over 3,000 counters of six hours, a sample every ten seconds, at 360
 * steps of a minute. The first query only reads: what another takes longer is the operator's.
 */
@SuppressWarnings("NullAway.Init") // JMH calls the method marked @Setup before all others.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
    value = 1,
    jvmArgsAppend = {
      "-XX:+UseCompactObjectHeaders",
      "-Xmx2g",
      "--enable-native-access=ALL-UNNAMED"
    })
@Warmup(iterations = 2, time = 3)
@Measurement(iterations = 3, time = 3)
public class PromQlBenchmark {
  private static final int SERIES = 3_000;

  @Param({"memory", "rocksdb"})
  private String store = "memory";

  @Param({
    "cpu_seconds_total",
    "sum(cpu_seconds_total)",
    "stddev(cpu_seconds_total)",
    "quantile(0.9, cpu_seconds_total)",
    "topk(5, cpu_seconds_total)",
    "count_values('v', sgn(cpu_seconds_total))",
    "sum(abs(cpu_seconds_total))",
    "sum(cpu_seconds_total * 2)",
    "sum(cpu_seconds_total{mode='user'} + on (instance, cpu) cpu_seconds_total{mode='system'})",
    "sum(rate(cpu_seconds_total[5m]))",
    "sum(rate(cpu_seconds_total[1h]))",
    "sum(max_over_time(cpu_seconds_total[1h]))",
    "sum(stddev_over_time(cpu_seconds_total[1h]))",
    "sum(quantile_over_time(0.9, cpu_seconds_total[1h]))",
    "sum(deriv(cpu_seconds_total[1h]))",
    "sum(label_replace(cpu_seconds_total, 'x', '$1', 'instance', 'web-(.*)'))"
  })
  private String query = "";

  private Path folder;
  private Engine engine;

  /** Writes the series. */
  @Setup
  public void write() throws IOException {
    folder = Files.createTempDirectory("varve-promql");
    DatasetConfig dataset =
        new DatasetConfig(
            "main",
            new StoreConfig(store, Map.of()),
            List.of(new PeriodConfig(Instant.MIN, List.of(Layouts.of(Layouts.DEFAULT, Map.of())))),
            null,
            DatasetConfig.Duplicates.LAST,
            Set.of(),
            false);
    engine =
        Engine.open(
            new EngineConfig(folder, EngineConfig.DEFAULT_MEMORY, List.of(dataset), "main"));
    MonitoringSeries series = new MonitoringSeries(SERIES);
    for (int i = 0; i < SERIES; i++) {
      BatchBuilder batch = new BatchBuilder();
      BatchBuilder.GroupBuilder group = batch.group(series.key(i));
      for (int sample = 0; sample < MonitoringSeries.SAMPLES; sample++) {
        long time = MonitoringSeries.START + sample * MonitoringSeries.STEP;
        group.add("value", time, series.next(i));
      }
      if (engine.defaultDataset().write(batch.build()).refused() > 0) {
        throw new IllegalStateException("samples were refused");
      }
    }
  }

  /** Closes what holds them. */
  @TearDown
  public void close() {
    engine.close();
    folder.toFile().deleteOnExit();
  }

  /** One query over a range of six hours. */
  @Benchmark
  public PromResult range() {
    return new PromQuery(query, Runs.of(engine.defaultDataset()), PromSettings.DEFAULTS)
        .range(MonitoringSeries.START, MonitoringSeries.END - 1, Duration.ofMinutes(1));
  }
}
