package dev.varve.engine.repair;

import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.home.ChangeTable;
import dev.varve.engine.home.ChangeTable.Announcement;
import dev.varve.engine.home.IdentityTable.Made;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.threads.BackgroundThread;
import dev.varve.engine.write.Companions;
import dev.varve.engine.write.DatasetWriter;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.StoreException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the changes of other servers to the tables of a dataset. Reads their announcements of
 * catalog changes, checks for their markers and for periods that only they know, and periodically
 * restores index rows that they may have deleted. Does nothing if no other server can share the
 * tables.
 */
public final class OtherServers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OtherServers.class);

  /** Maximum clock skew and propagation delay, in minutes. */
  private static final int MINUTES_BACK = 3;

  private static final int MINUTES_AHEAD = 2;

  /**
   * A change is announced before it is made, so every poll reads the series again for this long.
   */
  private static final Duration MAY_COME = ChangeTable.MADE_WITHIN.multipliedBy(2);

  /** Delay after which a changed series is read a second time, in case the other server is slow. */
  private static final Duration LAST_LOOK = Duration.ofSeconds(90);

  private static final long MINUTES_CLEARED_AT_ONCE = 60;
  private static final long MINUTES_CLEARED_AFTER_START = 24 * 60;

  private final OpenDataset dataset;
  private final DatasetWriter writer;
  private final @Nullable ChangeTable changes;
  private final BackgroundThread thread;
  private final LongAdder taken = new LongAdder();
  private final long startedAt;

  /** Used only by {@link #thread}, like all fields below. */
  private final Map<Announcement, Long> seen = new HashMap<>();

  private final Map<SeriesIdentity, Long> pending = new HashMap<>();
  private long lookedAt;
  private long clearedTo;
  private long minuteOfPeriods;
  private long revisited = System.nanoTime();

  /**
   * @param loadedAt the minute in which loading of the catalog began. The catalog may lack changes
   *     announced since then
   */
  public OtherServers(OpenDataset dataset, DatasetWriter writer, long loadedAt) {
    this.dataset = dataset;
    this.writer = writer;
    this.changes = dataset.home().changes();
    this.thread = BackgroundThread.named("others on " + dataset.name());
    this.lookedAt = loadedAt;
    this.startedAt = dataset.clock().next();
    this.clearedTo = lookedAt - keptMinutes() - MINUTES_CLEARED_AFTER_START;
  }

  /** Starts polling if other servers may share the tables. */
  public void start() {
    if (changes != null || (dataset.config().attached() != null && !isReadOnly())) {
      thread.start(this::lookAgainAndAgain);
    }
  }

  private boolean isReadOnly() {
    return dataset.config().isReadOnly();
  }

  private long minute() {
    return ChangeTable.minute(dataset.clock().systemMicros());
  }

  private static long keptMinutes() {
    return ChangeTable.KEPT.toMinutes();
  }

  /**
   * Polls at a fixed rate, so that a change waits for one period and one poll, however long the
   * poll before it took. A store slower than that still gets a pause.
   */
  private void lookAgainAndAgain() {
    Duration within = dataset.config().refresh().within();
    Duration period = within.dividedBy(2);
    Duration pause = period;
    while (thread.pause(pause)) {
      long began = System.nanoTime();
      look();
      Duration left = period.minusNanos(System.nanoTime() - began);
      Duration least = within.dividedBy(10);
      pause = left.compareTo(least) > 0 ? left : least;
    }
  }

  private void look() {
    ChangeTable table = changes;
    if (table != null) {
      tried(() -> readChanges(table));
      tried(() -> clear(table));
      tried(this::lookAtPeriods);
      tried(dataset.deletes()::readOthers);
    }
    Companions companions = writer.companions();
    if (companions != null) {
      tried(companions::lookAtOthers);
    }
    if (System.nanoTime() - revisited > dataset.config().refresh().believed().toNanos() / 2) {
      tried(() -> {
        writer.revisit();
        revisited = System.nanoTime();
      });
    }
  }

  /** Runs one check. Its failure does not prevent the other checks. */
  private void tried(Runnable look) {
    try {
      look.run();
    } catch (StoreException | ReadCancelledException e) {
      LOG.warn(
          "dataset '{}': cannot read the changes of other servers, will retry: {}",
          dataset.name(),
          e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("dataset '{}': cannot read the changes of other servers", dataset.name(), e);
    }
  }

  private void readChanges(ChangeTable from) {
    long minute = minute();
    if (minute - lookedAt > keptMinutes() - 2 * MINUTES_BACK) {
      dataset.home().series().load(dataset.index(), dataset.clock().next());
      lookedAt = minute;
    }
    long now = System.nanoTime();
    List<Announcement> all = from.announcements(lookedAt - MINUTES_BACK, minute + MINUTES_AHEAD);
    if (from.isDoubled(all, startedAt)) {
      stopWriting();
    }
    for (Announcement announcement : all) {
      if (!from.isOwn(announcement)
          && seen.putIfAbsent(announcement, announcement.minute()) == null) {
        announcement.identities().forEach(identity -> pending.put(identity, now));
        taken.increment();
      }
    }
    readSeries(now);
    lookedAt = minute;
    seen.values().removeIf(announcedAt -> announcedAt < minute - 2 * MINUTES_BACK);
  }

  private void stopWriting() {
    String reason =
        "dataset '%s' is written by another process with the same server id, because one data directory is a copy of the other: stop one of the two processes, remove file 'server-id' from its directory, and restart it"
            .formatted(dataset.name());
    if (writer.stop(reason)) {
      LOG.error(reason);
    }
  }

  private void readSeries(long now) {
    Set<SeriesIdentity> wanted = new HashSet<>();
    Set<SeriesIdentity> last = new HashSet<>();
    pending.forEach((identity, since) -> {
      long age = now - since;
      if (age < MAY_COME.toNanos() || age > LAST_LOOK.toNanos()) {
        wanted.add(identity);
      }
      if (age > LAST_LOOK.toNanos()) {
        last.add(identity);
      }
    });
    long removals = dataset.index().removals();
    dataset.home().series().load(wanted, dataset.index());
    if (dataset.index().removals() > removals) {
      writer.forgetNames();
    }
    pending.keySet().removeAll(last);
  }

  /** Deletes announcements that are too old to be read by any server. */
  private void clear(ChangeTable from) {
    long end = Math.min(minute() - keptMinutes(), clearedTo + MINUTES_CLEARED_AT_ONCE);
    if (end > clearedTo) {
      from.delete(clearedTo, end - 1);
      clearedTo = end;
    }
  }

  /**
   * Looks for periods that only another server knows. This server can neither write nor read them.
   */
  private void lookAtPeriods() {
    long minute = minute();
    if (minute == minuteOfPeriods) {
      return;
    }
    minuteOfPeriods = minute;
    Made made = dataset.home().identity().made();
    int known = dataset.periods().all().size();
    if (made != null && made.periods().size() > known) {
      long from = made.periods().get(known).from();
      if (dataset.periods().closeFrom(from)) {
        LOG.warn(
            "dataset '{}' has a period starting at {} that this server's configuration lacks: samples from then on are neither written nor read until the period is declared here too",
            dataset.name(),
            from);
      }
    }
  }

  /** Returns the number of changes read from other servers. */
  public double changesRead() {
    return taken.doubleValue();
  }

  @Override
  public void close() {
    thread.close();
  }
}
