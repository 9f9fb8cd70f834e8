package dev.varve.engine.delete;

import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.error.CorruptDataException;
import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.home.ClockTable;
import dev.varve.engine.home.DeleteTable.DeleteRecord;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.progress.Deletion;
import dev.varve.engine.read.DatasetReader;
import dev.varve.engine.write.DatasetWriter;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts the deletes of a dataset and executes them one after the other, in the order in which
 * they were accepted, also those that a restart interrupted.
 */
public final class DeleteJobs implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DeleteJobs.class);
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(2);

  /** Maximum time that a delete waits until the samples accepted before it are in blocks. */
  public static final Duration SEAL_WAIT_MAX = Duration.ofSeconds(30);

  /** Maximum time of that wait while writers wait. */
  private static final Duration SEAL_WAIT_MAX_ALONE = Duration.ofSeconds(5);

  private static final Duration RETRY = Duration.ofSeconds(10);

  private final OpenDataset dataset;
  private final DatasetReader reader;
  private final DatasetWriter writer;
  private final BooleanSupplier knowsAllSeries;
  private final Lock searching;
  private final SideRecords records;
  private final Duration sealWaitMax;
  private final List<DeleteJob> jobs = new CopyOnWriteArrayList<>();

  /** One permit for each accepted delete that the thread has not picked up yet. */
  private final Semaphore work = new Semaphore(0);

  private volatile boolean closed;
  private @Nullable Thread thread;

  /**
   * @param knowsAllSeries whether the catalog is complete; until it is, a job would miss series
   * @param searching held while rows are searched for series
   * @param records may name the series that are removed
   * @param sealWaitMax maximum time that a delete waits until the samples accepted before it are in
   *     blocks
   */
  public DeleteJobs(
      OpenDataset dataset,
      DatasetReader reader,
      DatasetWriter writer,
      BooleanSupplier knowsAllSeries,
      Lock searching,
      SideRecords records,
      Duration sealWaitMax) {
    this.dataset = dataset;
    this.reader = reader;
    this.writer = writer;
    this.knowsAllSeries = knowsAllSeries;
    this.searching = searching;
    this.records = records;
    this.sealWaitMax = sealWaitMax;
  }

  /** Keeps the blocks of deletes that have not ended apart from later ones. Called first. */
  public void hold() {
    dataset.deletes().all().stream()
        .filter(dataset.deletes()::isOwn)
        .forEach(one -> countInBlocks(1));
  }

  /** Continues the deletes of this server that have not ended. */
  public void start() {
    EarlierRemovals earlier = new EarlierRemovals(true);
    dataset.deletes().all().stream()
        .filter(dataset.deletes()::isOwn)
        .forEach(one -> execute(one, earlier));
  }

  /**
   * Accepts a delete: makes it durable and hides its samples from reads that begin later.
   *
   * @throws OverloadedException if too many deletes are not finished, or if samples accepted before
   *     cannot be put into blocks
   * @throws WriteFailedException if writes have been stopped
   * @throws StoreException if the store fails; if {@link StoreException#unknown()}, the delete is
   *     executed, but a restart may forget it
   */
  public Deletion accept(Selector selector, TimeRange times) {
    dataset.deletes().ensureRoom();
    countInBlocks(1);
    Accepted accepted;
    try {
      // Most samples are sealed while others write, so writers wait only for the rest.
      seal(sealWaitMax);
      accepted = separate(selector, times);
    } catch (RuntimeException e) {
      countInBlocks(-1);
      throw e;
    }
    DeleteJob job = execute(accepted.record(), new EarlierRemovals(false));
    if (accepted.doubt() != null) {
      throw accepted.doubt();
    }
    return job;
  }

  /**
   * An accepted delete.
   *
   * @param doubt why the store may lack the record; null if it has it
   */
  private record Accepted(DeleteRecord record, @Nullable StoreException doubt) {}

  /** Takes a stamp that separates earlier samples, all of them in tables, from later ones. */
  private Accepted separate(Selector selector, TimeRange times) {
    return writer.alone(() -> {
      writer.ensureNotStopped();
      seal(sealWaitMax.compareTo(SEAL_WAIT_MAX_ALONE) < 0 ? sealWaitMax : SEAL_WAIT_MAX_ALONE);
      long stamp = dataset.stamps(1);
      dataset.marks().reach(stamp, ClockTable.MARK_AHEAD_MICROS);
      DeleteRecord made = dataset.home().deletes().of(stamp, selector, times);
      return new Accepted(made, dataset.deletes().add(made));
    });
  }

  /**
   * Waits until all samples accepted before are in blocks.
   *
   * @throws OverloadedException if that takes longer, for example because the store fails
   */
  private void seal(Duration most) {
    long end = System.nanoTime() + most.toNanos();
    blocks()
        .forEach(tiers -> {
          if (!tiers.seal(Duration.ofNanos(end - System.nanoTime()))) {
            throw new OverloadedException(
                "dataset '%s' could not put the samples accepted before the delete into blocks within %d s; nothing is deleted, retry later"
                    .formatted(dataset.name(), most.toSeconds()),
                RETRY);
          }
        });
  }

  private void countInBlocks(int more) {
    blocks().forEach(tiers -> tiers.countDelete(more));
  }

  private Stream<BlockTiers> blocks() {
    return dataset.periods().all().stream().filter(Period::isInBlocks).map(Period::tiers);
  }

  private DeleteJob execute(DeleteRecord one, EarlierRemovals earlier) {
    DeleteJob job = new DeleteJob(dataset, reader, writer, one, earlier, searching, records);
    synchronized (this) {
      jobs.removeIf(DeleteJob::hasEnded);
      jobs.add(job);
      if (thread == null && !closed) {
        thread =
            Thread.ofPlatform().daemon().name("deletes of " + dataset.name()).start(this::runAll);
      }
    }
    work.release();
    return job;
  }

  /** Returns the deletes that have not ended, oldest first. */
  public List<Deletion> pending() {
    return jobs.stream().filter(job -> !job.hasEnded()).map(Deletion.class::cast).toList();
  }

  private void runAll() {
    try {
      while (!closed) {
        boolean failed = false;
        for (DeleteJob job : jobs) {
          failed |= !closed && !job.hasEnded() && !(knowsAllSeries.getAsBoolean() && tried(job));
        }
        if (!failed) {
          work.acquire();
          work.drainPermits();
        } else if (work.tryAcquire(PAUSE_AFTER_FAILURE.toNanos(), TimeUnit.NANOSECONDS)) {
          work.drainPermits();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns whether a job need not be retried. */
  private boolean tried(DeleteJob job) {
    String known = job.progress().problem();
    try {
      job.run(() -> closed);
      return true;
    } catch (StoreException
        | ReadCancelledException
        | WriteFailedException
        | QueryRefusedException
        | CorruptDataException e) {
      String reason = String.valueOf(e.getMessage());
      if (!closed && !reason.equals(known)) {
        LOG.warn(
            "dataset '{}': deleted samples are hidden but cannot be removed yet, will retry: {}",
            dataset.name(),
            reason);
      }
      job.failed(reason);
    } catch (RuntimeException e) {
      String reason = e.toString();
      if (!reason.equals(known)) {
        LOG.error("dataset '{}': deleted samples cannot be removed", dataset.name(), e);
      }
      job.failed(reason);
    }
    return false;
  }

  @Override
  public void close() {
    Thread started;
    synchronized (this) {
      closed = true;
      started = thread;
    }
    work.release();
    if (started != null) {
      try {
        started.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
