package dev.varve.server.scrape;

import dev.varve.engine.Dataset;
import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.formats.text.SampleSink;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.MetricMetadata;
import dev.varve.model.Series;
import dev.varve.model.StaleMarker;
import dev.varve.model.Tags;
import dev.varve.server.http.ClientAddress;
import dev.varve.server.http.OverBudgetException;
import dev.varve.server.http.RateLimitedLog;
import dev.varve.server.http.WriteBudget;
import dev.varve.server.http.WriteBudget.Reservation;
import dev.varve.server.ingest.IngestListener;
import dev.varve.server.ingest.Intake;
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
 * Scrapes one target repeatedly on its own thread.
 *
 * <p>Each scrape is written as one batch, with the samples that report on it ({@code up} and
 * others) and a staleness marker for every series that disappeared. A scrape that fails because of
 * the target, a limit or a lack of memory is written as if it had returned no samples. One that an
 * unexpected exception ends is only logged.
 */
final class ScrapeLoop {
  /**
   * Scrapes that are late by at most this, and by at most 1 % of the interval, get the aligned
   * time, which compresses better.
   */
  private static final Duration TOLERANCE = Duration.ofMillis(2);

  private static final String DIALECT = "scrape";

  /** Memory of a new series without its texts, in bytes. */
  private static final int SERIES_BYTES = 400;

  /** The rule under which the samples of a failed scrape are counted as refused. */
  private static final String FAILED = "scrape.failed";

  private static final Logger LOG = LoggerFactory.getLogger(ScrapeLoop.class);
  private static final RateLimitedLog LOST = new RateLimitedLog("scrape");

  /**
   * The objects that all loops share.
   *
   * @param holdsMarkers whether the layouts can hold staleness markers
   * @param room bounds the number of answers in memory
   * @param budget accounts for their memory
   */
  record Shared(
      Dataset dataset,
      IngestListener ingest,
      Clock clock,
      boolean holdsMarkers,
      Semaphore room,
      WriteBudget budget) {}

  /**
   * The outcome of a scrape.
   *
   * @param error empty after success
   */
  record Outcome(Instant at, Duration took, String error) {}

  private final ScrapeConfig job;
  private final Target target;
  private final ScrapeClient client;
  private final Shared shared;
  private final ScrapedSeries series;

  /** Counted down when the target disappears or the server stops. */
  private final CountDownLatch ended = new CountDownLatch(1);

  /** Counted down when the server stops. */
  private final CountDownLatch stopped = new CountDownLatch(1);

  /** Metadata of the target that has been written. */
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

  /** Returns the outcome of the last scrape; null before the first. */
  @Nullable Outcome last() {
    return last;
  }

  /**
   * Starts the loop.
   *
   * @param isBack whether another loop scrapes the target by the time this one ends
   */
  void start(Predicate<Target> isBack) {
    thread = Thread.ofVirtual().name("varve-scrape").start(() -> run(isBack));
  }

  /**
   * Ends the loop because its target disappeared. It marks its series as ended unless the target
   * comes back.
   */
  void end() {
    ended.countDown();
  }

  /** Stops the loop with the server; its series do not end. */
  void stop() {
    stopped.countDown();
    ended.countDown();
  }

  /** Waits for the thread to end. */
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
      scrapeRepeatedly();
      if (last != null) {
        markTheEnd(isBack);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void scrapeRepeatedly() throws InterruptedException {
    long intervalNanos = target.interval().toNanos();
    Instant begin = shared.clock().instant();
    long next =
        System.nanoTime()
            + target.offset(begin.getEpochSecond() * 1_000_000_000L + begin.getNano()).toNanos();
    if (isEndedBefore(next)) {
      return;
    }
    Instant aligned = shared.clock().instant();
    do {
      Instant at = shared.clock().instant();
      aligned = aligned.plusMillis(intervalNanos / 1_000_000 * intervalsBetween(aligned, at));
      try {
        scrape(isOnTime(aligned, at) ? aligned : at);
      } catch (RuntimeException e) {
        LOG.error("a scrape of {} failed", target.url(), e);
      }
      // A scrape that takes longer than its interval skips the next ones.
      next += intervalNanos * Math.max(1, Math.ceilDiv(System.nanoTime() - next, intervalNanos));
    } while (!isEndedBefore(next));
  }

  /** Returns the number of whole intervals between two times. */
  private long intervalsBetween(Instant from, Instant to) {
    return Math.max(0, Duration.between(from, to).toMillis() / target.interval().toMillis());
  }

  private boolean isOnTime(Instant aligned, Instant at) {
    Duration late = Duration.between(aligned, at);
    return !late.isNegative()
        && late.compareTo(TOLERANCE) <= 0
        && late.compareTo(target.interval().dividedBy(100)) <= 0;
  }

  /** Waits until a time; returns true if the loop must end. */
  private boolean isEndedBefore(long nanos) throws InterruptedException {
    return ended.await(Math.max(0, nanos - System.nanoTime()), TimeUnit.NANOSECONDS);
  }

  private boolean isStopped() {
    return stopped.getCount() == 0;
  }

  /** A target may come back with the same labels; then its series have not ended. */
  private void markTheEnd(Predicate<Target> isBack) throws InterruptedException {
    long intervalMillis = target.interval().toMillis();
    if (stopped.await(intervalMillis, TimeUnit.MILLISECONDS)) {
      return;
    }
    long at = shared.clock().millis();
    if (stopped.await(intervalMillis + intervalMillis / 10, TimeUnit.MILLISECONDS)
        || isBack.test(target)) {
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
    } catch (ScrapeException e) {
      error = failed(intake, reading, String.valueOf(e.getMessage()));
    } catch (OverBudgetException e) {
      error = failed(intake, reading, ScrapeClient.noRoom(e));
    }
    if (!error.isEmpty()) {
      batch = new BatchBuilder();
      metadata = described;
    }
    if (isStopped()) {
      // A stop may have caused the failure.
      return;
    }
    markEnded(batch, millis, error.isEmpty());
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    double[] values = {
      error.isEmpty() ? 1 : 0, took.toNanos() / 1e9, reading.exposed, reading.kept, reading.added,
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

  /** Reports a failed scrape, and returns the reason. */
  private String failed(Intake intake, Reading reading, String reason) {
    intake.report(FAILED, reading.exposed, () -> target.url() + ": " + reason);
    return reason;
  }

  private void markEnded(BatchBuilder batch, long millis, boolean good) {
    for (GroupKey key : series.end(good)) {
      mark(batch, key, millis);
    }
  }

  private void mark(BatchBuilder batch, GroupKey key, long millis) {
    if (shared.holdsMarkers()) {
      batch.group(key).add(Series.DEFAULT_FIELD, millis, StaleMarker.VALUE);
    }
  }

  /** Returns the series of a sample that reports on scrapes of the target. */
  private GroupKey report(String name) {
    return GroupKey.of(name, Tags.of(target.labels()));
  }

  private Intake intake() {
    return new Intake(shared.dataset(), DIALECT, shared.ingest());
  }

  /**
   * Writes a scrape.
   *
   * @param batch under keys that have passed the door
   * @param metadata all metadata of the target. Only what was not written before is written, since
   *     targets that contradict each other would otherwise write with every scrape
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

  /** Adds the samples of one scrape to a batch. */
  private final class Reading implements SampleSink<ScrapeException> {
    private final BatchBuilder batch;
    private final Set<GroupKey> fresh = new HashSet<>();
    private final long millis;
    private final Intake intake;

    /** Samples that the target exposed. */
    private long exposed;

    /** Samples that the rules of the job kept. */
    private long kept;

    /** Series that the scrape before did not have. */
    private long added;

    /** Samples that count against the limit: those that were entered and are no markers. */
    private long counted;

    private Reading(long millis, Intake intake) {
      this.millis = millis;
      this.intake = intake;
      this.batch = intake.newBatch();
    }

    @Override
    public void take(GroupKey sent, boolean timed, long time, double value) throws ScrapeException {
      exposed++;
      ScrapedSeries.Stored stored = series.stored(sent);
      // The key is held as exposed, with the labels of the target, and as stored.
      intake.memory().hold(stored.added() ? SERIES_BYTES + 3L * sent.byteCount() : 0);
      GroupKey relabelled = stored.key();
      if (relabelled == null) {
        return;
      }
      kept++;
      // Keys that relabelling at the door makes equal are one series from here on.
      GroupKey key = intake.enter(relabelled, 1);
      if (key == null) {
        return;
      }
      boolean own = job.honorTimestamps() && timed;
      boolean tracked = !own || job.trackTimestamps();
      // Of several samples of a series without timestamps, the first wins.
      if (!own && series.isNoted(key)) {
        return;
      }
      if (tracked) {
        series.note(key);
      }
      if (!StaleMarker.is(value)) {
        counted++;
      } else if (!shared.holdsMarkers()) {
        return;
      }
      if (isWithinLimit()) {
        added += stored.added() && fresh.add(sent) ? 1 : 0;
        batch.group(key).add(Series.DEFAULT_FIELD, own ? time : millis, value);
      }
    }

    private boolean isWithinLimit() {
      return job.limits().samples() == 0 || counted <= job.limits().samples();
    }

    /** All samples are read before the limit is checked, so that the error reports their number. */
    void checkLimit() throws ScrapeException {
      if (!isWithinLimit()) {
        throw new ScrapeException(
            "sample limit exceeded: %,d samples, sample_limit is %,d"
                .formatted(counted, job.limits().samples()));
      }
    }
  }
}
