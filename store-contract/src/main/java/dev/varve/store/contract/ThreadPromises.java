package dev.varve.store.contract;

import static dev.varve.store.contract.Lab.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.Table;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** Many threads may use a table at once. */
final class ThreadPromises {
  private static final int THREADS = 8;

  private ThreadPromises() {}

  static List<ContractTest> tests() {
    return List.of(
        new ContractTest("shows every row whole", ThreadPromises::wholeRows),
        new ContractTest("applies what many threads write", ThreadPromises::appliers),
        new ContractTest("lets one of many conditional puts win", ThreadPromises::oneWinner),
        new ContractTest("loses no step of a compare and swap", ThreadPromises::swaps),
        new ContractTest("loses no increment", ThreadPromises::increments),
        new ContractTest(
            "serves platform threads as well as virtual ones", ThreadPromises::platform));
  }

  private interface Part {
    void run(int thread) throws Exception;
  }

  private static void inParallel(ExecutorService executor, int threads, Part part)
      throws InterruptedException, ExecutionException {
    try (executor) {
      List<Future<?>> ends = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int thread = i;
        ends.add(
            executor.submit(() -> {
              part.run(thread);
              return thread;
            }));
      }
      for (Future<?> end : ends) {
        end.get();
      }
    }
  }

  private static void wholeRows(Lab lab) throws Exception {
    Table table = lab.table("t");
    int rounds = 200;
    AtomicBoolean written = new AtomicBoolean();
    inParallel(
        Executors.newVirtualThreadPerTaskExecutor(),
        3,
        thread -> {
          if (thread == 0) {
            for (int round = 1; round <= rounds; round++) {
              Lab.apply(table, wholeRow(lab, round));
            }
            written.set(true);
          }
          while (!written.get()) {
            assertThat(Lab.read(table, Lab.row("r")).stream().map(Cell::value).distinct().count())
                .as("different values in a row that is always written whole")
                .isLessThanOrEqualTo(1);
            // Leaves the processor to the writer.
            LockSupport.parkNanos(1_000);
          }
        });
    assertThat(Lab.read(table, Lab.row("r"))).hasSize(20);
  }

  /** Deletes the row and rewrites it, all of its cells with the same value. */
  private static MutationBatch wholeRow(Lab lab, int round) {
    MutationBatch batch = new MutationBatch();
    batch.deleteFamily(text("r"), Lab.ALL);
    for (int i = 0; i < 10; i++) {
      batch.put(text("r"), Lab.LATEST, text("q" + i), round, text("round " + round));
      batch.put(text("r"), Lab.ALL, text("q" + i), lab.time(round), text("round " + round));
    }
    return batch;
  }

  private static void appliers(Lab lab) throws Exception {
    Table table = lab.table("t");
    int batches = 50;
    inParallel(
        Executors.newVirtualThreadPerTaskExecutor(),
        THREADS,
        thread -> {
          MutationBatch batch = new MutationBatch();
          for (int i = 0; i < batches; i++) {
            batch.clear();
            for (int row = 0; row < 5; row++) {
              Bytes key = text("r%d/%d/%d".formatted(thread, i, row));
              batch.put(key, Lab.LATEST, text("q"), 1, key);
            }
            Durability durability = i % 2 == 0 ? Durability.SYNCED : Durability.ORDERED;
            assertThat(table.apply(batch, durability)).isEmpty();
          }
        });
    List<Cell> cells = Lab.readAll(table);
    assertThat(cells).hasSize(THREADS * batches * 5);
    assertThat(cells).allMatch(cell -> cell.value().equals(cell.row()));
  }

  private static void oneWinner(Lab lab) throws Exception {
    Table table = lab.table("t");
    if (!lab.capabilities().has(Power.ConditionalPut.class)) {
      return;
    }
    Power.ConditionalPut power = table.power(Power.ConditionalPut.class).orElseThrow();
    int keys = 25;
    List<List<String>> wins = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      wins.add(new ArrayList<>());
    }
    inParallel(
        Executors.newVirtualThreadPerTaskExecutor(),
        THREADS,
        thread -> {
          for (int key = 0; key < keys; key++) {
            Cell cell = Lab.cell("r" + key, Lab.LATEST, "q", 1, key + " by " + thread);
            if (power.putIf(cell, null)) {
              wins.get(thread).add(cell.value().toUtf8());
            }
          }
        });
    Set<String> winners = wins.stream().flatMap(List::stream).collect(Collectors.toSet());
    assertThat(winners).hasSize(keys);
    assertThat(Lab.values(Lab.readAll(table))).containsExactlyInAnyOrderElementsOf(winners);
  }

  private static void swaps(Lab lab) throws Exception {
    Table table = lab.table("t");
    if (!lab.capabilities().has(Power.ConditionalPut.class)) {
      return;
    }
    Power.ConditionalPut power = table.power(Power.ConditionalPut.class).orElseThrow();
    Lab.put(table, Lab.cell("r", Lab.LATEST, "q", 0, "0"));
    int steps = 20;
    inParallel(
        Executors.newVirtualThreadPerTaskExecutor(),
        4,
        thread -> {
          for (int done = 0; done < steps; ) {
            Cell now = Lab.read(table, Lab.row("r")).getFirst();
            int next = Integer.parseInt(now.value().toUtf8()) + 1;
            if (power.putIf(Lab.cell("r", Lab.LATEST, "q", next, "" + next), now.value())) {
              done++;
            }
          }
        });
    assertThat(Lab.values(Lab.readAll(table))).containsExactly("" + 4 * steps);
  }

  private static void increments(Lab lab) throws Exception {
    Table table = lab.table("t");
    if (!lab.capabilities().has(Power.Increment.class)) {
      return;
    }
    Power.Increment power = table.power(Power.Increment.class).orElseThrow();
    int adds = 50;
    Set<Long> sums = Collections.synchronizedSet(new HashSet<>());
    inParallel(
        Executors.newVirtualThreadPerTaskExecutor(),
        THREADS,
        thread -> {
          for (int i = 0; i < adds; i++) {
            sums.add(power.add(text("r"), Lab.LATEST, text("q"), 1, i));
          }
        });
    assertThat(sums).as("sums, each given once").hasSize(THREADS * adds);
    Bytes value = Lab.readAll(table).getFirst().value();
    assertThat(ByteBuffer.wrap(value.toArray()).getLong()).isEqualTo((long) THREADS * adds);
  }

  private static void platform(Lab lab) throws Exception {
    Table table = lab.table("t");
    inParallel(
        Executors.newFixedThreadPool(THREADS),
        THREADS,
        thread -> {
          for (int i = 0; i < 20; i++) {
            String row = thread + "/" + i;
            Lab.put(table, Lab.cell(row, Lab.LATEST, "q", 1, row));
            assertThat(Lab.values(Lab.read(table, Lab.row(row)))).containsExactly(row);
          }
        });
    assertThat(Lab.readAll(table)).hasSize(THREADS * 20);
  }
}
