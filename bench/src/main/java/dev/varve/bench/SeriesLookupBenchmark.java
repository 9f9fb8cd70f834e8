package dev.varve.bench;

import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import java.util.ArrayList;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures the lookup of a series: computing the 128-bit identity of its key, and finding its
 * number in the index. The keys have five tags and are visited in an order that defeats the
 * processor's caches.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xmx2g"})
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 3, time = 2)
public class SeriesLookupBenchmark {
  /** Coprime to the number of series, so that every key is visited. */
  private static final int STRIDE = 7_919;

  @Param({"1000", "1000000"})
  private int series = 1_000;

  private final SeriesIndex index = new SeriesIndex();
  private final List<GroupKey> keys = new ArrayList<>();
  private final List<SeriesIdentity> identities = new ArrayList<>();
  private int at;

  /** Fills the index. */
  @Setup
  public void fill() {
    for (int i = 0; i < series; i++) {
      GroupKey key =
          GroupKey.of(
              "cpu_seconds_total",
              Tags.of(
                  Map.of(
                      "instance",
                      "web-" + i / 20,
                      "cpu",
                      Integer.toString(i % 10),
                      "mode",
                      i / 10 % 2 == 0 ? "user" : "system",
                      "job",
                      "node",
                      "region",
                      "eu-west-1")));
      keys.add(key);
      identities.add(SeriesIdentity.of(key));
      index.add(identities.getLast(), key);
    }
  }

  private int next() {
    at = (at + STRIDE) % series;
    return at;
  }

  /** Computes the identity of a key. */
  @Benchmark
  public SeriesIdentity identity() {
    return SeriesIdentity.of(keys.get(next()));
  }

  /** Finds the number of a known identity. */
  @Benchmark
  public int find() {
    return index.find(identities.get(next()));
  }
}
