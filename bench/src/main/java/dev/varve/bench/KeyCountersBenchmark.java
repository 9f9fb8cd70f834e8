package dev.varve.bench;

import com.sun.management.OperatingSystemMXBean;
import dev.varve.engine.Dataset;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.heat.CountedTable;
import dev.varve.engine.heat.KeyCounters;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.request.WriteResult;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.Power;
import dev.varve.store.ReadCost;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.RowOutcome;
import dev.varve.store.Slice;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures the cost of key counters in a write and in a read, per cell: first the counters above a
 * table that does nothing, then a dataset on RocksDB with its counters. A batch has a cell for each
 * of 1,000 rows, in no order; a page has 4,000 cells of 20 rows.
 */
@SuppressWarnings("NullAway.Init") // JMH calls the method marked @Setup before all others.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Threads(1)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xmx1g", "--enable-native-access=ALL-UNNAMED"})
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 3, time = 2)
public class KeyCountersBenchmark {
  private static final int SERIES = 1_000;
  private static final int PAGE = 4_000;
  private static final int PAGE_ROWS = 20;
  private static final TableSpec SPEC =
      new TableSpec(
          "t", List.of(FamilySpec.latest("f")), Resolution.MILLISECONDS, Partitioning.ROW);
  private static final ReadPlan PLAN =
      ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.latest(0)));

  private final MutationBatch edits = new MutationBatch();
  private final CellBatch page = new CellBatch();
  private final Table counted =
      new CountedTable(
          new Nothing(), new KeyCounters("t", Partitioning.ROW, System.currentTimeMillis()));
  private ScratchEngine engine;
  private Dataset dataset;
  private long time = 1_700_000_000_000L;

  /** A table that accepts everything, and leaves the cells of a page as they are. */
  private static final class Nothing implements Table {
    @Override
    public TableSpec spec() {
      return SPEC;
    }

    @Override
    public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
      return List.of();
    }

    @Override
    public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
      return new Again();
    }

    @Override
    public <P extends Power> Optional<P> power(Class<P> power) {
      return Optional.empty();
    }

    @Override
    public void close() {}
  }

  private static final class Again implements CellCursor {
    @Override
    public boolean next(CellBatch into) {
      return true;
    }

    @Override
    public @Nullable ResumeToken token() {
      return null;
    }

    @Override
    public ReadCost cost() {
      return ReadCost.NOTHING;
    }

    @Override
    public void cancel() {}

    @Override
    public void close() {}
  }

  private static GroupKey series(int number) {
    int mixed = (int) (number * 2_654_435_761L % SERIES);
    return GroupKey.of(
        "http_requests_total", Tags.of("host", "web-%04d".formatted(mixed), "service", "checkout"));
  }

  private Batch batch() {
    BatchBuilder builder = new BatchBuilder();
    time += 1_000;
    for (int i = 0; i < SERIES; i++) {
      builder.group(series(i)).add("value", time, 0.5 * i);
    }
    return builder.build();
  }

  /** Opens a dataset with a hundred samples of each series. */
  @Setup
  public void open() throws IOException {
    engine =
        ScratchEngine.open(
            new StoreConfig("rocksdb", Map.of("sync", "false")),
            List.of(Layouts.of("buckets", Map.of())),
            false,
            256L << 20);
    dataset = engine.dataset();
    for (int i = 0; i < 100; i++) {
      dataset.write(batch());
    }
    for (int i = 0; i < SERIES; i++) {
      edits.put(row(i * 7919 % SERIES), 0, Bytes.utf8("1234"), 1, Bytes.utf8("12345678"));
    }
    for (int i = 0; i < PAGE; i++) {
      Bytes row = row(500 + i / (PAGE / PAGE_ROWS));
      page.add(new Cell(row, 0, Bytes.utf8("%04d".formatted(i)), 1, Bytes.utf8("12345678")));
    }
    for (int i = 0; i < 3; i++) {
      counted.apply(edits, Durability.ORDERED);
    }
  }

  private static Bytes row(int number) {
    return Bytes.utf8(
        "http_requests_total\0host\0web-%04d\0service\0checkout\0day".formatted(number));
  }

  /** Closes the dataset and deletes its files. */
  @TearDown
  public void close() throws IOException {
    engine.close();
  }

  /** Counts a batch; the table does nothing. */
  @Benchmark
  @OperationsPerInvocation(SERIES)
  public List<RowOutcome> countersOfWrite() {
    return counted.apply(edits, Durability.ORDERED);
  }

  /** Counts a page; the table does nothing. */
  @Benchmark
  @OperationsPerInvocation(PAGE)
  public boolean countersOfRead() {
    try (CellCursor cursor = counted.read(PLAN, null)) {
      return cursor.next(page);
    }
  }

  /** Writes a batch into a dataset. */
  @Benchmark
  @OperationsPerInvocation(SERIES)
  public WriteResult datasetWrite() {
    return dataset.write(batch());
  }

  /** Reads 100 samples of every series. */
  @Benchmark
  @OperationsPerInvocation(100 * SERIES)
  public long datasetRead() {
    long samples = 0;
    ReadRequest all =
        ReadRequest.of(
            Selector.metric("http_requests_total"),
            new TimeRange(1_700_000_000_000L, 1_700_000_100_001L));
    try (RunCursor runs = dataset.read(all)) {
      for (Run run = runs.next(); run != null; run = runs.next()) {
        samples += run.samples().size();
      }
    }
    return samples;
  }

  /**
   * Prints the processor time of each measure per cell, of all threads, and the share of the
   * counters. Unlike elapsed times, these do not depend on what else the machine does.
   */
  public static void main(String[] args) throws IOException {
    KeyCountersBenchmark measured = new KeyCountersBenchmark();
    measured.open();
    double ofWrite = nanos(measured::countersOfWrite, 20_000, SERIES);
    double ofRead = nanos(measured::countersOfRead, 20_000, PAGE);
    double write = nanos(measured::datasetWrite, 1_000, SERIES);
    double read = nanos(measured::datasetRead, 20, 100 * SERIES);
    System.out.printf(
        "write %.0f ns, of which counters %.1f ns: %.2f %%%n",
        write, ofWrite, 100 * ofWrite / write);
    System.out.printf(
        "read %.0f ns, of which counters %.2f ns: %.2f %%%n", read, ofRead, 100 * ofRead / read);
    measured.close();
  }

  /** Returns the processor time of a call per cell, after as many calls to warm up. */
  private static double nanos(Supplier<?> call, int calls, int cells) {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    long began = 0;
    for (int i = 0; i < 2 * calls; i++) {
      if (i == calls) {
        began = system.getProcessCpuTime();
      }
      Objects.requireNonNull(call.get());
    }
    return (double) (system.getProcessCpuTime() - began) / calls / cells;
  }
}
