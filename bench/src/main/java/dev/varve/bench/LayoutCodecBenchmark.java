package dev.varve.bench;

import dev.varve.layout.Binding;
import dev.varve.layout.CellSink;
import dev.varve.layout.Layout;
import dev.varve.layout.Refusal;
import dev.varve.layout.RowSamples;
import dev.varve.layout.StepRunner;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.model.Tags;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import dev.varve.store.Store;
import dev.varve.store.Table;
import dev.varve.store.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * Encodes the samples of one series, one every ten seconds, and decodes them. With {@code -prof
 * gc}, the bytes allocated per operation are the bytes per sample, because buffers are reused.
 */
@SuppressWarnings("NullAway.Init") // JMH calls the method marked @Setup before all others.
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xmx1g"})
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class LayoutCodecBenchmark {
  private static final int SAMPLES = 10_000;
  private static final long START = 1_700_000_000_000L;
  private static final long STEP = 10_000;

  @Param({"buckets", "heroic", "kairosdb", "opentsdb"})
  private String layout = "buckets";

  private Layout codec;
  private Binding binding;
  private SampleGroup group;
  private final Buffers buffers = new Buffers();
  private final CellBatch cells = new CellBatch();
  private final List<int[]> rows = new ArrayList<>();
  private final RowSamples samples = new RowSamples();

  /** Holds the encoded cells until the next invocation. */
  private static final class Buffers implements CellSink {
    private final List<MutationBatch> data = new ArrayList<>();
    private final List<MutationBatch> index = new ArrayList<>();

    private void prepare(int tables) {
      for (int i = 0; i < tables; i++) {
        data.add(new MutationBatch());
        index.add(new MutationBatch());
      }
    }

    private void clear() {
      data.forEach(MutationBatch::clear);
      index.forEach(MutationBatch::clear);
    }

    @Override
    public MutationBatch data(int table) {
      return data.get(table);
    }

    @Override
    public MutationBatch index(int table) {
      return index.get(table);
    }

    @Override
    public void refuse(int column, int sample, Refusal refusal) {
      throw new IllegalStateException(refusal.message());
    }
  }

  /** Creates a series, its samples, and their rows. */
  @Setup
  public void prepare() {
    codec = Layouts.of(layout, Map.of());
    GroupKey key = GroupKey.of("cpu.usage", Tags.of("host", "web-17", "dc", "ams", "mode", "user"));
    binding = bind(key);
    long[] times = new long[SAMPLES];
    double[] values = new double[SAMPLES];
    RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
    for (int i = 0; i < SAMPLES; i++) {
      times[i] = START + i * STEP;
      values[i] = Math.round(random.nextDouble() * 1000) / 10.0;
    }
    group =
        new SampleGroup(key, SAMPLES, times, List.of(new Column.Doubles("value", values, null)));
    buffers.prepare(codec.tables().size());
    encode();
    CellBatch encoded = buffers.data(codec.dataTable()).cells();
    for (int i = 0; i < encoded.size(); i++) {
      cells.addFrom(encoded, i);
    }
    int from = 0;
    for (int i = 1; i <= cells.size(); i++) {
      if (i == cells.size() || !cells.sameRow(from, i)) {
        rows.add(new int[] {from, i});
        from = i;
      }
    }
  }

  private Binding bind(GroupKey key) {
    try (Store store = new MemoryStore()) {
      List<Table> tables =
          codec.tables().stream()
              .map(table -> store.open(table, Store.OpenMode.CREATE_IF_ABSENT))
              .toList();
      long[] clock = {0};
      return new StepRunner(tables, () -> ++clock[0]).run(codec.bind(key, true)).orElseThrow();
    }
  }

  /** Encodes ten thousand samples. */
  @Benchmark
  @OperationsPerInvocation(SAMPLES)
  public int encode() {
    buffers.clear();
    codec.encode(binding, group, 1, buffers);
    return buffers.data(codec.dataTable()).size();
  }

  /** Decodes ten thousand samples. */
  @Benchmark
  @OperationsPerInvocation(SAMPLES)
  public int decode() {
    int decoded = 0;
    for (int[] row : rows) {
      samples.clear();
      codec.decode(cells, row[0], row[1], samples);
      decoded += samples.vectors().getFirst().samples().size();
    }
    return decoded;
  }
}
