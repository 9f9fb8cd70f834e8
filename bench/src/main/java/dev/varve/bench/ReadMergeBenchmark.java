package dev.varve.bench;

import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import java.io.IOException;
import java.util.List;
import java.util.Map;
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

  private ScratchEngine engine;

  /** Writes the series into memory. */
  @Setup
  public void write() throws IOException {
    engine =
        ScratchEngine.open(
            new StoreConfig("memory", Map.of()),
            List.of(Layouts.of(layout, Map.of())),
            true,
            EngineConfig.DEFAULT_MEMORY);
    new MonitoringSeries(SERIES).write(engine.dataset());
  }

  /** Closes the engine and deletes its files. */
  @TearDown
  public void close() throws IOException {
    engine.close();
  }

  /** Reads all samples of all series. The result is the time per sample. */
  @Benchmark
  @OperationsPerInvocation(SERIES * MonitoringSeries.SAMPLES)
  public long read() {
    TimeRange times = new TimeRange(MonitoringSeries.START, MonitoringSeries.END);
    long samples = 0;
    try (RunCursor runs =
        engine.dataset().read(ReadRequest.of(Selector.metric("cpu_seconds_total"), times))) {
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
