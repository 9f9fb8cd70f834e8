package dev.varve.store.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.metadata.Node;
import dev.varve.devstores.CassandraCluster;
import dev.varve.engine.OutageStory;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
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
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes, three replicas, quorums: with one dead node everything works, with two nothing does,
 * and all acknowledged writes are present when the nodes are back.
 */
class CassandraClusterIT {
  private static final int WRITERS = 2;
  private static final int ROWS_A_BATCH = 10;
  private static final TableSpec SPEC =
      new TableSpec(
          "ledger",
          List.of(FamilySpec.latest("f")),
          Resolution.MILLISECONDS,
          (bytes, offset, length) -> Math.min(2, length));

  /**
   * In this layout every series has partitions of its own, and a few rows of an index list them
   * all.
   */
  private static final String LAYOUT = "kairosdb";

  @TempDir private Path directory;

  private final Set<Bytes> tried = ConcurrentHashMap.newKeySet();

  /** The outcomes of writes, by row. */
  private final Map<Status, Set<Bytes>> rows = new EnumMap<>(Status.class);

  private final AtomicInteger failedReads = new AtomicInteger();
  private final AtomicBoolean stop = new AtomicBoolean();

  /** Whether two nodes are up, so that no read may fail. */
  private volatile boolean quorum = true;

  @BeforeEach
  void forget() {
    for (Status status : Status.values()) {
      rows.put(status, ConcurrentHashMap.newKeySet());
    }
  }

  @Test
  void losesNothingWhenNodesDieAndComeBack() throws Exception {
    try (CassandraCluster cluster = CassandraCluster.start(directory, 3);
        Store patient = open(cluster, 10);
        Store hasty = open(cluster, 1);
        Table read = patient.open(SPEC, OpenMode.CREATE_IF_ABSENT);
        Table written = hasty.open(SPEC, OpenMode.CREATE_IF_ABSENT);
        OutageStory points =
            new OutageStory(
                directory.resolve("engine"),
                new StoreConfig("cassandra", points(cluster)),
                LAYOUT);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        int writer = i;
        writers.add(threads.submit(() -> write(written, writer)));
      }
      Future<Integer> reader = threads.submit(() -> readAgainAndAgain(read));
      points.begin();
      awaitMore(Status.APPLIED, 200);
      points.awaitMore();
      assertThat(holders(cluster)).hasSize(3);
      cluster.node(1).kill();
      awaitMore(Status.APPLIED, 200);
      points.awaitMore();
      quorum = false;
      cluster.node(2).kill();
      // At first requests to the dead nodes time out; later the driver knows that they are dead.
      awaitMore(Status.UNKNOWN, 1);
      awaitMore(Status.NOT_APPLIED, 1);
      points.awaitFailures();
      for (Future<?> start :
          List.of(
              threads.submit(() -> cluster.node(1).restart()),
              threads.submit(() -> cluster.node(2).restart()))) {
        start.get();
      }
      awaitMore(Status.APPLIED, 200);
      quorum = true;
      awaitMore(Status.APPLIED, 200);
      points.awaitMore();
      stop.set(true);
      for (Future<Integer> writer : writers) {
        assertThat(writer.get(300, TimeUnit.SECONDS)).isPositive();
      }
      assertThat(reader.get(300, TimeUnit.SECONDS)).isPositive();
      assertThat(failedReads).as("reads that failed without a quorum").hasPositiveValue();
      checkEnds(rows(read));
      points.end();
    }
  }

  /**
   * Cassandra counts the live replicas before it sends a write to any, and keeps no hint for a
   * write that was never sent. So a write that is reported as not applied cannot be applied later
   * either.
   */
  private void checkEnds(Set<Bytes> found) {
    assertThat(found).as("acknowledged rows").containsAll(ended(Status.APPLIED));
    assertThat(ended(Status.NOT_APPLIED))
        .as("rows reported as not applied")
        .noneMatch(found::contains);
    assertThat(ended(Status.REJECTED)).isEmpty();
    assertThat(tried).containsAll(found);
  }

  private Set<Bytes> ended(Status status) {
    return Objects.requireNonNull(rows.get(status));
  }

  private static Store open(CassandraCluster cluster, int retries) {
    return new CassandraStoreProvider().open(Path.of("unused"), 0, options(cluster, retries));
  }

  private static Map<String, String> options(CassandraCluster cluster, int retries) {
    Map<String, String> options = new HashMap<>(cluster.options());
    options.put("request-timeout", "3s");
    options.put("retries", String.valueOf(retries));
    return options;
  }

  /** Options for a dataset: a keyspace of its own, because foreign tables have fixed names. */
  private static Map<String, String> points(CassandraCluster cluster) {
    Map<String, String> options = options(cluster, 1);
    options.put("keyspace", "points");
    return options;
  }

  /** Returns the nodes that hold a partition, according to the driver. */
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
      List<Bytes> names = new ArrayList<>();
      for (int i = 0; i < ROWS_A_BATCH; i++) {
        Bytes row = Bytes.utf8("%d%d/%06d".formatted(writer, i % 8, batches * ROWS_A_BATCH + i));
        names.add(row);
        batch.put(row, 0, Bytes.EMPTY, batches, row);
      }
      tried.addAll(names);
      List<RowOutcome> outcomes = table.apply(batch, Durability.SYNCED);
      for (int i = 0; i < names.size(); i++) {
        ended(outcomes.isEmpty() ? Status.APPLIED : outcomes.get(i).status()).add(names.get(i));
      }
    }
    return batches;
  }

  /** Reads continuously. Each read must find everything acknowledged before it began. */
  private int readAgainAndAgain(Table table) throws InterruptedException {
    int reads = 0;
    while (!stop.get()) {
      boolean mustSucceed = quorum;
      Set<Bytes> before = Set.copyOf(ended(Status.APPLIED));
      try {
        assertThat(rows(table)).containsAll(before);
        reads++;
      } catch (StoreException e) {
        if (mustSucceed && quorum) {
          throw new AssertionError("a read failed for good", e);
        }
        failedReads.incrementAndGet();
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
    return reads;
  }

  /** Waits for more rows with an outcome. */
  private void awaitMore(Status status, int more) throws InterruptedException {
    int count = ended(status).size() + more;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(180);
    while (ended(status).size() < count) {
      assertThat(System.nanoTime()).as("time of %d rows %s", count, status).isLessThan(deadline);
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
