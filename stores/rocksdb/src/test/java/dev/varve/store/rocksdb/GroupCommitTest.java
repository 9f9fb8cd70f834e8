package dev.varve.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.varve.model.Bytes;
import dev.varve.store.Durability;
import dev.varve.store.StoreException;
import dev.varve.store.rocksdb.GroupCommit.Write;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.RocksDBException;

class GroupCommitTest {
  private final SlowLog log = new SlowLog();
  private final GroupCommit writer = new GroupCommit(log);

  @AfterEach
  void close() {
    log.turns.release(1000);
    log.failing = "";
    writer.close();
  }

  @Test
  void syncedWriteReturnsAfterItsSyncOnly() throws Exception {
    Write write = submit("a", Durability.SYNCED);
    FutureTask<Boolean> waiting = waiting(write);
    log.turns.release(1);
    assertThatThrownBy(() -> waiting.get(50, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    assertThat(log.events).containsExactly("write");
    log.turns.release(1);
    waiting.get();
    assertThat(log.events).containsExactly("write", "sync");
  }

  @Test
  void orderedWriteWaitsForNoSync() throws Exception {
    Write write = submit("a", Durability.ORDERED);
    log.turns.release(1);
    waiting(write).get();
    assertThat(log.events).containsExactly("write");
  }

  @Test
  void writesThatWaitTogetherAreOneBatchAndOneSync() {
    Write first = submit("first", Durability.SYNCED);
    log.awaitTurn();
    List<Write> others = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      others.add(submit("other" + i, i % 2 == 0 ? Durability.SYNCED : Durability.ORDERED));
    }
    log.turns.release(1000);
    first.await();
    others.forEach(Write::await);
    assertThat(log.events).containsExactly("write", "sync", "write", "sync");
  }

  @Test
  void decisionSeesWhatWasHandedInBefore() {
    Write first = submit("first", Durability.SYNCED);
    log.awaitTurn();
    submit("before", Durability.ORDERED);
    List<String> seen = new ArrayList<>();
    Write deciding =
        writer.submitLooking(
            () -> {
              seen.addAll(log.events);
              return records("decided");
            },
            Durability.SYNCED);
    Write after = submit("after", Durability.SYNCED);
    log.turns.release(1000);
    first.await();
    deciding.await();
    after.await();
    assertThat(seen).containsExactly("write", "sync", "write");
    assertThat(log.events).containsExactly("write", "sync", "write", "write", "sync");
  }

  @Test
  void aSyncThatCannotBeRecordedIsUnknownAndRecordedByTheNext() {
    log.failing = "note";
    log.turns.release(1000);
    assertThatThrownBy(() -> submit("a", Durability.SYNCED).await())
        .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.unknown()).isTrue())
        .hasMessageContaining("no space left");
    assertThat(writer.stopped()).isNull();
    assertThat(writer.obstacle()).contains("the last write failed: no space left");
    log.failing = "";
    submit("b", Durability.SYNCED).await();
    assertThat(writer.obstacle()).isNull();
  }

  @Test
  void failedSyncIsUnknownAndEndsAllWriting() {
    log.failing = "sync";
    log.turns.release(2);
    assertThatThrownBy(() -> submit("a", Durability.SYNCED).await())
        .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.unknown()).isTrue())
        .hasMessageContaining("unknown");
    log.failing = "";
    log.turns.release(100);
    for (Durability durability : Durability.values()) {
      assertThatThrownBy(() -> submit("b", durability).await())
          .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.unknown()).isFalse())
          .hasMessageContaining("failed to sync the log (no space left)")
          .hasMessageContaining("until the server is restarted");
    }
    assertThat(log.events)
        .as("a later sync would succeed without what the kernel has dropped")
        .containsExactly("write", "sync");
    assertThat(writer.stopped()).isEqualTo("the disk failed to sync the log: no space left");
    assertThat(writer.obstacle())
        .as("even once nothing fails any more")
        .isEqualTo(writer.stopped());
  }

  /** The writer goes on: without it every later write would wait for its timeout. */
  @ParameterizedTest
  @ValueSource(strings = {"write", "sync", "note"})
  void lackOfMemoryEndsNoWriter(String event) {
    log.outOfMemory = true;
    log.failing = event;
    log.turns.release(1000);
    assertThatThrownBy(() -> submit("a", Durability.SYNCED).await())
        .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.unknown()).isTrue())
        .hasMessageContaining("Java heap space");
    assertThat(writer.hasEnded()).isFalse();
    assertThat(writer.obstacle()).contains("Java heap space");
    assertThat(writer.stopped() == null).as("nothing lasting").isEqualTo(!event.equals("sync"));
  }

  @Test
  void failedWriteIsUnknownAndIsNotSynced() {
    log.failing = "write";
    log.turns.release(1);
    assertThatThrownBy(() -> submit("a", Durability.SYNCED).await())
        .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.unknown()).isTrue());
    assertThat(log.events).containsExactly("write");
  }

  @Test
  void failedDecisionConcernsNobodyElse() {
    Write failing =
        writer.submitLooking(
            () -> {
              throw new StoreException("not like this");
            },
            Durability.SYNCED);
    Write broken =
        writer.submitLooking(
            () -> {
              throw new IllegalStateException("a bug");
            },
            Durability.SYNCED);
    Write other = submit("other", Durability.SYNCED);
    log.turns.release(1000);
    other.await();
    assertThatThrownBy(failing::await)
        .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.unknown()).isFalse())
        .hasMessage("not like this");
    assertThatThrownBy(broken::await)
        .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.unknown()).isFalse())
        .hasMessageContaining("a bug");
  }

  @Test
  void interruptedCallerKeepsItsInterrupt() throws Exception {
    Thread.currentThread().interrupt();
    Write write = submit("a", Durability.SYNCED);
    assertThat(Thread.interrupted()).isTrue();
    assertThatThrownBy(write::await)
        .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.unknown()).isFalse());
    assertThat(log.events).isEmpty();
  }

  @Test
  void nobodyWaitsForAStalledLogForLong() {
    GroupCommit impatient = new GroupCommit(log, Duration.ofMillis(200));
    Write begun = impatient.submit(() -> records("begun"), Durability.SYNCED);
    log.awaitTurn();
    Write waiting = impatient.submit(() -> records("waiting"), Durability.SYNCED);
    assertThatThrownBy(begun::await)
        .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.unknown()).isTrue())
        .hasMessage(
            "rocksdb has not accepted a write for 0 s (the disk is slow): whether the write was"
                + " applied is unknown");
    assertThatThrownBy(waiting::await)
        .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.unknown()).isFalse())
        .hasMessageEndingWith("(the disk is slow): the write was not started");
    Write late = impatient.submit(() -> records("late"), Durability.SYNCED);
    assertThatThrownBy(late::await).hasMessageEndingWith("the write was not started");
    assertThatThrownBy(impatient::close).isInstanceOf(StoreException.class);
    assertThat(impatient.hasEnded()).isFalse();
    assertThat(log.events).isEmpty();

    log.turns.release(1000);
    await().until(impatient::hasEnded);
    assertThat(log.events).as("withdrawn writes are not executed").containsExactly("write", "sync");
  }

  @Test
  void beginsNothingWhileTheLogIsStarved() {
    GroupCommit impatient = new GroupCommit(log, Duration.ofMillis(500));
    log.turns.release(1000);
    log.starved = true;
    await()
        .untilAsserted(() ->
            assertThatThrownBy(
                    () -> impatient.submit(() -> records("late"), Durability.SYNCED).await())
                .isInstanceOfSatisfying(
                    StoreException.class, e -> assertThat(e.unknown()).isFalse())
                .hasMessage(
                    "rocksdb compactions keep failing (the disk is slow): the write was not"
                        + " started"));

    log.starved = false;
    await()
        .ignoreExceptions()
        .untilAsserted(() -> impatient.submit(() -> records("again"), Durability.SYNCED).await());
    impatient.close();
  }

  /** A server without traffic, because it is not ready, must detect the recovery by itself. */
  @Test
  void saysWhyWritesFailUntilOneSucceedsAgain() {
    GroupCommit impatient = new GroupCommit(log, Duration.ofMillis(500));
    assertThat(impatient.obstacle()).isNull();
    log.turns.release(1000);
    log.failing = "write";
    assertThatThrownBy(() -> impatient.submit(() -> records("a"), Durability.SYNCED).await())
        .isInstanceOf(StoreException.class);
    assertThat(impatient.obstacle())
        .isEqualTo("the last write failed: no space left (the disk is slow)");

    log.failing = "";
    await().untilAsserted(() -> assertThat(impatient.obstacle()).isNull());
    impatient.close();
  }

  @Test
  void beginsNothingBehindALastingObstacle() {
    log.turns.release(1000);
    log.obstacle = "a compaction met a damaged block";
    assertThat(writer.obstacle()).isEqualTo("a compaction met a damaged block");
    assertThatThrownBy(() -> submit("a", Durability.SYNCED).await())
        .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.unknown()).isFalse())
        .hasMessage(
            "rocksdb takes no writes (a compaction met a damaged block): the write was not started");
    assertThat(log.events).isEmpty();
  }

  private Write submit(String key, Durability durability) {
    return writer.submit(() -> records(key), durability);
  }

  private static WriteRecords records(String key) {
    GrowingBytes bytes = new GrowingBytes(16);
    bytes.add(Bytes.utf8(key));
    WriteRecords records = new WriteRecords(16);
    records.delete(0, bytes);
    return records;
  }

  private static FutureTask<Boolean> waiting(Write write) {
    FutureTask<Boolean> task =
        new FutureTask<>(() -> {
          write.await();
          return true;
        });
    Thread.ofVirtual().start(task);
    return task;
  }

  /** Records the calls, and executes each when it is given a turn. */
  private static final class SlowLog implements GroupCommit.Log {
    private final List<String> events = Collections.synchronizedList(new ArrayList<>());
    private final Semaphore turns = new Semaphore(0);
    private final CountDownLatch asked = new CountDownLatch(1);
    private volatile String failing = "";

    /** Whether what fails lacks memory in Java; otherwise RocksDB fails. */
    private volatile boolean outOfMemory;

    private volatile boolean starved;
    private volatile @Nullable String obstacle;

    @Override
    public void write(WriteRecords batch) throws RocksDBException {
      take("write");
    }

    @Override
    public void sync() throws RocksDBException {
      take("sync");
    }

    @Override
    public void noteSync() throws RocksDBException {
      failIf("note");
    }

    private void take(String event) throws RocksDBException {
      asked.countDown();
      turns.acquireUninterruptibly();
      events.add(event);
      failIf(event);
    }

    private void failIf(String event) throws RocksDBException {
      if (failing.equals(event)) {
        if (outOfMemory) {
          throw new OutOfMemoryError("Java heap space");
        }
        throw new RocksDBException("no space left");
      }
    }

    @Override
    public String condition() {
      return "the disk is slow";
    }

    @Override
    public boolean isStarved() {
      return starved;
    }

    @Override
    public boolean isSuspect() {
      return false;
    }

    @Override
    public @Nullable String obstacle() {
      return obstacle;
    }

    @Override
    public WriteRecords probe() {
      return records("probe");
    }

    void awaitTurn() {
      try {
        asked.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
