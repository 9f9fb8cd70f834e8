package dev.varve.engine.pending;

import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.home.DeleteTable;
import dev.varve.engine.home.DeleteTable.DeleteRecord;
import dev.varve.engine.request.ReadGuard;
import dev.varve.model.Kind;
import dev.varve.model.TimeRange;
import dev.varve.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The unfinished deletes of all servers: their samples may still be in the tables. Safe for use by
 * several threads.
 */
public final class PendingDeletes {
  /**
   * Maximum number of deletes: every read compares its series with each of them, and they stay in
   * memory.
   */
  private static final int PENDING_MAX = 200;

  private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

  /** Maximum time that a write waits for a delete of its times. */
  public static final Duration WRITE_WAIT_MAX = Duration.ofSeconds(1);

  private final DeleteTable table;

  /** Guards changes of {@link #pending}. Reads take the volatile list. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition changed = lock.newCondition();
  private volatile List<DeleteRecord> pending;
  private final AtomicLong added = new AtomicLong();

  /** Loads the records of a dataset. */
  public PendingDeletes(DeleteTable table) {
    this.table = table;
    this.pending = List.copyOf(table.all());
  }

  /** Returns all records, oldest first. */
  public List<DeleteRecord> all() {
    return pending;
  }

  public boolean isEmpty() {
    return pending.isEmpty();
  }

  /** Returns whether this server executes a delete. */
  public boolean isOwn(DeleteRecord record) {
    return table.isOwn(record);
  }

  /**
   * Checks that a further delete may be recorded.
   *
   * @throws OverloadedException if there are too many
   */
  public void ensureRoom() {
    int count = pending.size();
    if (count >= PENDING_MAX) {
      throw new OverloadedException(
          "%,d deletes are not finished, and at most %,d may be: try again once some are"
              .formatted(count, PENDING_MAX),
          RETRY_AFTER);
    }
  }

  /**
   * Adds a record durably. The caller holds the lock of writers, so that no write is accepted in
   * between. If the store does not tell whether it has the record, the record counts: a restart may
   * find it, and would then also remove samples that were accepted meanwhile.
   *
   * @return why the store may lack the record; null if it has it
   * @throws StoreException if the store does not have it
   */
  public @Nullable StoreException add(DeleteRecord record) {
    StoreException doubt = null;
    try {
      table.put(record);
    } catch (StoreException e) {
      if (!e.unknown()) {
        throw e;
      }
      doubt = e;
    }
    change(() -> {
      List<DeleteRecord> all = new ArrayList<>(pending);
      all.add(record);
      pending = List.copyOf(all);
      added.incrementAndGet();
    });
    return doubt;
  }

  /** Returns how many records were added since the start of the process. */
  public long added() {
    return added.get();
  }

  /**
   * Removes a record durably.
   *
   * @throws dev.varve.store.StoreException if the store fails
   */
  public void remove(DeleteRecord record) {
    table.remove(record);
    change(() -> pending = pending.stream().filter(other -> !other.equals(record)).toList());
  }

  /** Reads the records of other servers. */
  public void readOthers() {
    List<DeleteRecord> found = table.all();
    change(() -> {
      List<DeleteRecord> all = new ArrayList<>(pending.stream().filter(table::isOwn).toList());
      found.stream().filter(record -> !table.isOwn(record)).forEach(all::add);
      pending = List.copyOf(all);
    });
  }

  private void change(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for a change.
   *
   * @param since the records that the caller knows
   * @param max time to wait
   * @return whether other records are pending now
   */
  public boolean awaitChange(List<DeleteRecord> since, Duration max) {
    long left = max.toNanos();
    lock.lock();
    try {
      while (pending.equals(since) && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
    return !pending.equals(since);
  }

  /** Returns the samples that all deletes in a range of times hide. */
  public DeleteFilter filter(TimeRange times, SeriesIndex index, ReadGuard guard) {
    List<DeleteRecord> all = pending;
    return all.isEmpty() ? DeleteFilter.NONE : filter(all, times, index, guard);
  }

  /** Returns the samples that one delete hides. */
  public static DeleteFilter filter(DeleteRecord record, SeriesIndex index) {
    return filter(List.of(record), TimeRange.ALL, index, ReadGuard.NONE);
  }

  private static DeleteFilter filter(
      List<DeleteRecord> records, TimeRange times, SeriesIndex index, ReadGuard guard) {
    List<DeleteFilter.Rule> rules = new ArrayList<>();
    for (DeleteRecord record : records) {
      if (record.times().overlaps(times)) {
        rules.add(
            new DeleteFilter.Rule(
                index.match(record.selector(), null, Kind.ALL, guard),
                new HiddenSamples.Span(record.times(), record.stamp())));
      }
    }
    return new DeleteFilter(rules);
  }

  /** Returns the error for a write into times that are being deleted. */
  public static OverloadedException refusal(TimeRange deleted) {
    return new OverloadedException(
        "a delete of times %d to %d is being executed, and this layout cannot tell later samples from deleted ones: try again once it has finished"
            .formatted(deleted.from(), deleted.to()),
        RETRY_AFTER);
  }
}
