package dev.varve.server.scrape;

import dev.varve.engine.Dataset;
import dev.varve.engine.OverloadedException;
import dev.varve.engine.WriteFailedException;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.MetricMetadata;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.server.http.ClientAddress;
import dev.varve.server.http.OverBudgetException;
import dev.varve.server.http.RateLimitedLog;
import dev.varve.server.http.WriteBudget;
import dev.varve.server.http.WriteBudget.Reservation;
import dev.varve.server.ingest.IngestListener;
import dev.varve.server.ingest.Intake;
import dev.varve.server.text.SampleSink;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scrapes one target, again and again, on a thread of its own.
 *
 * <p>Each scrape is written as one batch with the samples that tell of it ({@code up} and others)
 * and a marker for every series that is gone. A scrape that fails is written as one that brought
 * nothing.
 */
final class ScrapeLoop {
  /** The bits of the value that says that a series has ended. */
  private static final long STALE_BITS = 0x7ff0000000000002L;

  private static final double STALE = Double.longBitsToDouble(STALE_BITS);

  /** Times closer to the rhythm than this are taken to be in it, which makes them compress. */
  private static final Duration TOLERANCE = Duration.ofMillis(2);

  private static final String DIALECT = "scrape";

  /** What a series takes that was not there before, without its texts. */
  private static final int SERIES_BYTES = 400;

  /** The rule by which the samples of a scrape are refused that fails on what they are. */
  private static final String FAILED = "scrape.failed";

  private static final Logger LOG = LoggerFactory.getLogger(ScrapeLoop.class);
  private static final RateLimitedLog LOST = new RateLimitedLog("scrape");

  /**
   * What all loops share.
   *
   * @param holdsMarkers whether the layouts can hold the value that says that a series has ended
   * @param room how many answers are in memory at once
   * @param budget in which what they hold counts
   */
  record Shared(
      Dataset dataset,
      IngestListener ingest,
      Clock clock,
      boolean holdsMarkers,
      Semaphore room,
      WriteBudget budget) {}

  /**
   * How the last scrape went.
   *
   * @param error empty where it went well
   */
  record Outcome(Instant at, Duration took, String error) {}

  private final ScrapeConfig job;
  private final Target target;
  private final ScrapeClient client;
  private final Shared shared;
  private final ScrapedSeries series;

  /** Falls when the target is gone or the server stops. */
  private final CountDownLatch leave = new CountDownLatch(1);

  /** Falls when the server stops. */
  private final CountDownLatch halt = new CountDownLatch(1);

  /** What the target has said of metrics, and is written. */
  private Set<MetricMetadata> described = Set.of();

  private volatile @Nullable Outcome last;
  private @Nullable Thread thread;

  ScrapeLoop(ScrapeConfig job, Target target, ScrapeClient client, Shared shared) {
    this.job = job;
    this.target = target;
    this.client = client;
    this.shared = shared;
    this.series = new ScrapedSeries(job, target);
  }

  Target target() {
    return target;
  }

  String jobName() {
    return job.jobName();
  }

  /** How the last scrape went; null before the first. */
  @Nullable Outcome last() {
    return last;
  }

  /**
   * Begins.
   *
   * @param isBack whether the target is scraped by another loop when this one has ended
   */
  void start(Predicate<Target> isBack) {
    thread = Thread.ofVirtual().name("varve-scrape").start(() -> run(isBack));
  }

  /** The target is gone: the loop ends, and marks the ends of its series when it is sure. */
  void end() {
    leave.countDown();
  }

  /** The server stops: series do not end by that. */
  void stop() {
    halt.countDown();
    leave.countDown();
  }

  /** Waits until the thread has ended, for a while. */
  void join(Duration atMost) throws InterruptedException {
    if (thread != null) {
      thread.join(atMost);
    }
  }

  boolean isOver() {
    return thread != null && !thread.isAlive();
  }

  private void run(Predicate<Target> isBack) {
    try {
      scrapeAgainAndAgain();
      if (last != null) {
        markTheEnd(isBack);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void scrapeAgainAndAgain() throws InterruptedException {
    long interval = target.interval().toNanos();
    Instant begin = shared.clock().instant();
    long next =
        System.nanoTime()
            + target.offset(begin.getEpochSecond() * 1_000_000_000L + begin.getNano()).toNanos();
    if (isLeftBefore(next)) {
      return;
    }
    Instant rhythm = shared.clock().instant();
    do {
      Instant at = shared.clock().instant();
      rhythm = rhythm.plusMillis(interval / 1_000_000 * beats(rhythm, at));
      try {
        scrape(isInRhythm(rhythm, at) ? rhythm : at);
      } catch (RuntimeException e) {
        LOG.error("a scrape of {} failed", target.url(), e);
      }
      // A scrape that takes longer than its interval misses the next ones.
      next += interval * Math.max(1, Math.ceilDiv(System.nanoTime() - next, interval));
    } while (!isLeftBefore(next));
  }

  /** How many whole intervals have gone by. */
  private long beats(Instant from, Instant to) {
    return Math.max(0, Duration.between(from, to).toMillis() / target.interval().toMillis());
  }

  private boolean isInRhythm(Instant rhythm, Instant at) {
    Duration late = Duration.between(rhythm, at);
    Duration tolerance = target.interval().dividedBy(100);
    return !late.isNegative()
        && late.compareTo(TOLERANCE.compareTo(tolerance) < 0 ? TOLERANCE : tolerance) <= 0;
  }

  /** Waits; true if the loop is to end. */
  private boolean isLeftBefore(long nanos) throws InterruptedException {
    return leave.await(Math.max(0, nanos - System.nanoTime()), TimeUnit.NANOSECONDS);
  }

  private boolean halts() {
    return halt.getCount() == 0;
  }

  /** A target may come back under the same name; then its series have not ended. */
  private void markTheEnd(Predicate<Target> isBack) throws InterruptedException {
    long interval = target.interval().toMillis();
    if (halt.await(interval, TimeUnit.MILLISECONDS)) {
      return;
    }
    long at = shared.clock().millis();
    if (halt.await(interval + interval / 10, TimeUnit.MILLISECONDS) || isBack.test(target)) {
      return;
    }
    Intake intake = intake();
    BatchBuilder batch = new BatchBuilder();
    markEnded(batch, at, false);
    for (String name : ScrapeReport.NAMES) {
      GroupKey key = intake.enter(report(name), 1);
      if (key != null) {
        mark(batch, key, at);
      }
    }
    write(intake, batch.build(), described);
  }

  private void scrape(Instant at) throws InterruptedException {
    try (Reservation memory = shared.budget().open(ClientAddress.SCRAPED)) {
      scrape(at, memory);
    }
  }

  private void scrape(Instant at, Reservation memory) throws InterruptedException {
    long start = System.nanoTime();
    long millis = at.toEpochMilli();
    Intake intake = new Intake(shared.dataset(), DIALECT, shared.ingest(), memory);
    Reading reading = new Reading(millis, intake);
    BatchBuilder batch = reading.batch;
    Collection<MetricMetadata> metadata = described;
    String error = "";
    try {
      shared.room().acquire();
      try {
        ScrapeClient.Answer answer = client.fetch(target, memory);
        metadata = ScrapedText.read(answer, job.fallback(), millis, reading, memory::hold);
      } finally {
        shared.room().release();
      }
      reading.checkLimit();
    } catch (ScrapeException | OverBudgetException e) {
      String reason =
          e instanceof OverBudgetException full
              ? ScrapeClient.noRoom(full)
              : String.valueOf(e.getMessage());
      error = reason;
      intake.report(FAILED, reading.total, () -> target.url() + ": " + reason);
      batch = new BatchBuilder();
      metadata = described;
    }
    if (halts()) {
      // What failed may have failed by that.
      return;
    }
    markEnded(batch, millis, error.isEmpty());
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    double[] values = {
      error.isEmpty() ? 1 : 0, took.toNanos() / 1e9, reading.total, reading.kept, reading.added,
    };
    for (int i = 0; i < values.length; i++) {
      GroupKey key = intake.enter(report(ScrapeReport.NAMES.get(i)), 1);
      if (key != null) {
        batch.group(key).add(Series.DEFAULT_FIELD, millis, values[i]);
      }
    }
    last = new Outcome(at, took, error);
    write(intake, batch.build(), metadata);
  }

  private void markEnded(BatchBuilder batch, long millis, boolean good) {
    for (GroupKey ended : series.end(good)) {
      mark(batch, ended, millis);
    }
  }

  private void mark(BatchBuilder batch, GroupKey key, long millis) {
    if (shared.holdsMarkers()) {
      batch.group(key).add(Series.DEFAULT_FIELD, millis, STALE);
    }
  }

  /** The series of a sample that tells of the scrapes of the target. */
  private GroupKey report(String name) {
    return GroupKey.of(name, Tags.of(target.labels()));
  }

  private Intake intake() {
    return new Intake(shared.dataset(), DIALECT, shared.ingest());
  }

  /**
   * Writes a scrape.
   *
   * @param batch under keys that the door has given
   * @param metadata all that the target says of metrics; what it has said before is not said again,
   *     since targets that contradict each other would make a write of every scrape
   */
  private void write(Intake intake, Batch batch, Collection<MetricMetadata> metadata) {
    try {
      if (!batch.groups().isEmpty()) {
        intake.writeEntered(batch);
      }
      List<MetricMetadata> fresh =
          metadata.stream().filter(one -> !described.contains(one)).toList();
      if (!fresh.isEmpty()) {
        intake.describe(fresh);
      }
      described = Set.copyOf(metadata);
    } catch (OverloadedException | WriteFailedException e) {
      LOST.warn("scrapes lost", target.url() + ": " + e.getMessage());
    }
  }

  /** One scrape's samples on their way into a batch. */
  private final class Reading implements SampleSink<ScrapeException> {
    private final BatchBuilder batch;
    private final Set<GroupKey> fresh = new HashSet<>();
    private final long millis;
    private final Intake intake;
    private long total;
    private long kept;
    private long added;
    private long counted;

    private Reading(long millis, Intake intake) {
      this.millis = millis;
      this.intake = intake;
      this.batch = intake.newBatch();
    }

    @Override
    public void take(GroupKey exposed, boolean timed, long time, double value)
        throws ScrapeException {
      total++;
      ScrapedSeries.Stored stored = series.stored(exposed);
      // The keys as they are exposed, with the labels of the target, and as they are stored.
      intake.memory().hold(stored.added() ? SERIES_BYTES + 3L * exposed.byteCount() : 0);
      GroupKey relabelled = stored.key();
      if (relabelled == null) {
        return;
      }
      kept++;
      // Keys that become one by the rules at the door are one series from here on.
      GroupKey key = intake.enter(relabelled, 1);
      if (key == null) {
        return;
      }
      boolean own = job.honorTimestamps() && timed;
      boolean tracked = !own || job.trackTimestamps();
      // Of two samples of one series without times the first counts.
      if (!own && series.isNoted(key)) {
        return;
      }
      if (tracked) {
        series.note(key);
      }
      if (Double.doubleToRawLongBits(value) != STALE_BITS) {
        counted++;
      } else if (!shared.holdsMarkers()) {
        return;
      }
      if (isWithinLimit()) {
        added += stored.added() && fresh.add(exposed) ? 1 : 0;
        batch.group(key).add(Series.DEFAULT_FIELD, own ? time : millis, value);
      }
    }

    private boolean isWithinLimit() {
      return job.limits().samples() == 0 || counted <= job.limits().samples();
    }

    /** All samples are read before the limit is said to be exceeded, so that they are counted. */
    void checkLimit() throws ScrapeException {
      if (!isWithinLimit()) {
        throw new ScrapeException(
            "sample limit exceeded: %,d samples, %,d are the most"
                .formatted(counted, job.limits().samples()));
      }
    }
  }
}
