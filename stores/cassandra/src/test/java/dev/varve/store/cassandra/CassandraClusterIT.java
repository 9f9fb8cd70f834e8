package dev.varve.store.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.metadata.Node;
import dev.varve.devstores.CassandraCluster;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowOutcome;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three nodes, three replicas, quorums: one node may die and come back. */
class CassandraClusterIT {
  private static final int WRITERS = 2;
  private static final int ROWS_A_BATCH = 10;
  private static final TableSpec SPEC =
      new TableSpec(
          "ledger",
          List.of(FamilySpec.latest("f")),
          Resolution.MILLISECONDS,
          (bytes, offset, length) -> Math.min(2, length));

  @TempDir private Path directory;

  /** What was acknowledged, and what may or may not stand. */
  private final Set<Bytes> applied = ConcurrentHashMap.newKeySet();

  private final Set<Bytes> tried = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean stop = new AtomicBoolean();

  @Test
  void losesNothingWhenANodeDiesAndComesBack() throws Exception {
    try (CassandraCluster cluster = CassandraCluster.start(directory, 3);
        Store store = open(cluster);
        Table table = store.open(SPEC, OpenMode.CREATE_IF_ABSENT);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        int writer = i;
        writers.add(threads.submit(() -> write(table, writer)));
      }
      Future<Integer> reader = threads.submit(() -> readAgainAndAgain(table));
      awaitApplied(200);
      assertThat(holders(cluster)).hasSize(3);
      cluster.node(1).kill();
      awaitApplied(applied.size() + 200);
      cluster.node(1).restart();
      awaitApplied(applied.size() + 200);
      stop.set(true);
      for (Future<Integer> writer : writers) {
        assertThat(writer.get(300, TimeUnit.SECONDS)).isPositive();
      }
      assertThat(reader.get(300, TimeUnit.SECONDS)).isPositive();
      Set<Bytes> there = rows(table);
      assertThat(there).containsAll(applied);
      assertThat(tried).containsAll(there);
    }
  }

  private static Store open(CassandraCluster cluster) {
    Map<String, String> options = new HashMap<>(cluster.options());
    options.put("request-timeout", "3s");
    options.put("retries", "10");
    return new CassandraStoreProvider().open(Path.of("unused"), 0, options);
  }

  /** The nodes that the driver takes to hold a partition. */
  private static Set<Node> holders(CassandraCluster cluster) {
    try (Requests requests = new Requests(CassandraOptions.parse(cluster.options()))) {
      requests.learnReplicas();
      return requests
          .session()
          .getMetadata()
          .getTokenMap()
          .orElseThrow()
          .getReplicas("varve", Buffers.of(Bytes.utf8("00")));
    }
  }

  private int write(Table table, int writer) {
    MutationBatch batch = new MutationBatch();
    int batches = 0;
    for (; !stop.get(); batches++) {
      batch.clear();
      List<Bytes> rows = new ArrayList<>();
      for (int i = 0; i < ROWS_A_BATCH; i++) {
        Bytes row = Bytes.utf8("%d%d/%06d".formatted(writer, i % 8, batches * ROWS_A_BATCH + i));
        rows.add(row);
        batch.put(row, 0, Bytes.EMPTY, batches, row);
      }
      tried.addAll(rows);
      List<RowOutcome> outcomes = table.apply(batch, Durability.SYNCED);
      for (int i = 0; i < rows.size(); i++) {
        if (outcomes.isEmpty() || outcomes.get(i).applied()) {
          applied.add(rows.get(i));
        }
      }
    }
    return batches;
  }

  /** Reads go on: each of them finds what was acknowledged before it began. */
  private int readAgainAndAgain(Table table) throws InterruptedException {
    int reads = 0;
    while (!stop.get()) {
      Set<Bytes> before = Set.copyOf(applied);
      try {
        assertThat(rows(table)).containsAll(before);
        reads++;
        TimeUnit.MILLISECONDS.sleep(100);
      } catch (StoreException e) {
        throw new AssertionError("a read failed for good", e);
      }
    }
    return reads;
  }

  private void awaitApplied(int count) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(180);
    while (applied.size() < count) {
      assertThat(System.nanoTime()).as("still writing").isLessThan(deadline);
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private static Set<Bytes> rows(Table table) {
    List<Slice> slices = new ArrayList<>();
    for (int writer = 0; writer < WRITERS; writer++) {
      for (int i = 0; i < 8; i++) {
        slices.add(Slice.partition(Bytes.utf8("" + writer + i)));
      }
    }
    Set<Bytes> rows = new HashSet<>();
    CellBatch page = new CellBatch();
    try (CellCursor cursor =
        table.read(ReadPlan.of(slices, List.of(FamilySelect.latest(0))), null)) {
      while (cursor.next(page)) {
        for (int i = 0; i < page.size(); i++) {
          assertThat(page.value(i)).isEqualTo(page.row(i));
          rows.add(page.row(i));
        }
      }
    }
    return rows;
  }
}
