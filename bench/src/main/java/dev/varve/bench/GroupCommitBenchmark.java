package dev.varve.bench;

import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.Durability;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.RowOutcome;
import dev.varve.store.Store;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreProviders;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures concurrent writes into RocksDB, which the store groups with one sync per group. A call
 * writes 100 cells of 16 bytes, each into its own row. {@code -t N} sets the number of callers.
 */
@SuppressWarnings("NullAway.Init") // JMH calls the method marked @Setup before all others.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Threads(8)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xmx1g", "--enable-native-access=ALL-UNNAMED"})
@Warmup(iterations = 2, time = 3)
@Measurement(iterations = 3, time = 3)
public class GroupCommitBenchmark {
  private static final int CELLS = 100;
  private static final TableSpec SPEC =
      new TableSpec(
          "t", List.of(FamilySpec.latest("f")), Resolution.MILLISECONDS, Partitioning.NONE);

  @Param({"SYNCED", "ORDERED"})
  private Durability durability = Durability.SYNCED;

  private final AtomicLong next = new AtomicLong();
  private ScratchFolder folder;
  private Store store;
  private Table table;

  /** The batch of one caller. */
  @State(Scope.Thread)
  public static class Caller {
    private final MutationBatch batch = new MutationBatch();
    private final byte[] value = new byte[16];
  }

  /** Opens an empty table. */
  @Setup
  public void open() throws IOException {
    folder = ScratchFolder.make();
    store = StoreProviders.of("rocksdb").open(folder.path(), 256L << 20, Map.of());
    table = store.open(SPEC, OpenMode.CREATE_IF_ABSENT);
  }

  /** Closes the store and deletes its files. */
  @TearDown
  public void close() throws IOException {
    store.close();
    folder.close();
  }

  /** Writes one batch and returns once it is durable or ordered. */
  @Benchmark
  public List<RowOutcome> write(Caller caller) {
    long first = next.getAndAdd(CELLS);
    caller.batch.clear();
    for (long row = first; row < first + CELLS; row++) {
      byte[] key = "%012d".formatted(row).getBytes(StandardCharsets.US_ASCII);
      caller.batch.put(Bytes.of(key), 0, Bytes.EMPTY, 1, Bytes.of(caller.value));
    }
    return table.apply(caller.batch, durability);
  }
}
