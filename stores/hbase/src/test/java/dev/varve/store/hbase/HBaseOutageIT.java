package dev.varve.store.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.devstores.HBaseServer;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.nio.file.Path;
import java.time.Duration;
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
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** HBase crashes during writes and recovers. */
class HBaseOutageIT {
  private static final int WRITERS = 4;
  private static final int ROWS_A_BATCH = 5;

  /** The outcomes of the writes begun before, during and after the outage, by row. */
  private final Map<String, Status> ends = new ConcurrentHashMap<>();

  private final AtomicBoolean stop = new AtomicBoolean();

  @Test
  void keepsWhatItAcknowledged(@TempDir Path directory) throws Exception {
    try (HBaseServer server = HBaseServer.start(directory.resolve("hbase"));
        Store store = open(server);
        Table table = store.open(spec(), OpenMode.CREATE_IF_ABSENT)) {
      try (ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
          int writer = i;
          running.add(writers.submit(() -> write(table, writer)));
        }
        await().until(() -> count(Status.APPLIED) > 500);
        server.kill();
        await().atMost(Duration.ofMinutes(1)).until(() -> ends.size() > count(Status.APPLIED));
        server.restart();
        long before = count(Status.APPLIED);
        await().atMost(Duration.ofMinutes(2)).until(() -> count(Status.APPLIED) > before + 500);
        stop.set(true);
        for (Future<?> writer : running) {
          writer.get();
        }
      }
      Set<String> found = rows(table);
      ends.forEach((row, status) -> {
        if (status == Status.APPLIED) {
          assertThat(found).contains(row);
        } else if (status == Status.NOT_APPLIED || status == Status.REJECTED) {
          assertThat(found).doesNotContain(row);
        }
      });
      assertThat(ends.keySet()).containsAll(found);
      assertThat(ends.values()).doesNotContain(Status.REJECTED);
      assertThat(store.figures())
          .containsEntry("rows_unknown_total", (double) count(Status.UNKNOWN))
          .containsEntry("rows_not_applied_total", (double) count(Status.NOT_APPLIED));
    }
  }

  /** Opens a store with short timeouts, so that some calls time out during the outage. */
  private static Store open(HBaseServer server) {
    Map<String, String> options = new HashMap<>(server.options());
    options.put("operation-timeout", "3s");
    options.put("rpc-timeout", "1s");
    options.put("retries", "2");
    options.put("hbase.client.pause", "20");
    return new HBaseStoreProvider().open(Path.of("unused"), 0, options);
  }

  private static TableSpec spec() {
    return new TableSpec(
        "outage", List.of(FamilySpec.latest("f")), Resolution.MILLISECONDS, Partitioning.NONE);
  }

  private long count(Status status) {
    return ends.values().stream().filter(status::equals).count();
  }

  private void write(Table table, int writer) {
    MutationBatch batch = new MutationBatch();
    for (int number = 0; !stop.get(); number++) {
      batch.clear();
      for (int row = 0; row < ROWS_A_BATCH; row++) {
        batch.put(
            Bytes.utf8(name(writer, number, row)), 0, Bytes.utf8("q"), 1, Bytes.utf8("value"));
      }
      List<RowOutcome> outcomes = table.apply(batch, Durability.SYNCED);
      for (int row = 0; row < ROWS_A_BATCH; row++) {
        ends.put(
            name(writer, number, row),
            outcomes.isEmpty() ? Status.APPLIED : outcomes.get(row).status());
      }
    }
  }

  private static String name(int writer, int number, int row) {
    return "%d/%06d/%d".formatted(writer, number, row);
  }

  /** Reads every row of the table, through a handle and a connection from before the outage. */
  private static Set<String> rows(Table table) {
    Set<String> rows = new HashSet<>();
    CellBatch page = new CellBatch();
    ReadPlan all =
        ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.latest(0)));
    try (CellCursor cursor = table.read(all, null)) {
      while (cursor.next(page)) {
        for (int i = 0; i < page.size(); i++) {
          rows.add(page.row(i).toUtf8());
        }
      }
    }
    return rows;
  }
}
