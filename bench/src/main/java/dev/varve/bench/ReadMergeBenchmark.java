package dev.varve.bench;

import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import java.io.IOException;
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
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures the cost of a sample between the store and a query: its cell is read, decoded, and
 * merged with those of other rows into runs. There are 200 series of 2,160 samples. The number of
 * strands to merge depends on the layout: {@code buckets} has one, {@code salted} several.
 */
@SuppressWarnings("NullAway.Init") // JMH calls the method marked @Setup before all others.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xmx1g", "--enable-native-access=ALL-UNNAMED"})
@Warmup(iterations = 2, time = 3)
@Measurement(iterations = 3, time = 3)
public class ReadMergeBenchmark {
  private static final int SERIES = 200;

  @Param({"buckets", "salted", "newest-first", "kairosdb"})
  private String layout = "buckets";

  private ScratchFolder folder;
  private Engine engine;

  /** Writes the series into memory. */
  @Setup
  public void write() throws IOException {
    folder = ScratchFolder.make();
    DatasetConfig dataset =
        new DatasetConfig(
            "main",
            new DatasetConfig.StoreConfig("memory", Map.of()),
            List.of(
                new DatasetConfig.PeriodConfig(Instant.MIN, List.of(Layouts.of(layout, Map.of())))),
            null,
            DatasetConfig.Duplicates.LAST,
            Set.of(),
            true);
    engine =
        Engine.open(
            new EngineConfig(folder.path(), EngineConfig.DEFAULT_MEMORY, List.of(dataset), "main"));
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

  /** Closes the engine and deletes its files. */
  @TearDown
  public void close() throws IOException {
    engine.close();
    folder.close();
  }

  /** Reads all samples of all series. The result is the time per sample. */
  @Benchmark
  @OperationsPerInvocation(SERIES * MonitoringSeries.SAMPLES)
  public long read() {
    TimeRange times = new TimeRange(MonitoringSeries.START, MonitoringSeries.END);
    long samples = 0;
    try (RunCursor runs =
        engine.defaultDataset().read(ReadRequest.of(Selector.metric("cpu_seconds_total"), times))) {
      for (Run run = runs.next(); run != null; run = runs.next()) {
        samples += run.samples().size();
      }
    }
    if (samples != (long) SERIES * MonitoringSeries.SAMPLES) {
      throw new IllegalStateException(samples + " samples were read");
    }
    return samples;
  }
}
