package dev.varve.engine.convert;

import dev.varve.engine.catalog.Matches;
import dev.varve.engine.catalog.Matches.Match;
import dev.varve.engine.error.CorruptDataException;
import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.fill.SampleDigest;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.read.DatasetReader;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.write.BlockCopier;
import dev.varve.engine.write.BlockCopier.Room;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Run;
import dev.varve.model.SampleGroup;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Copies samples from the cells of a slice of time into blocks, and compares both by digests. Used
 * by one thread.
 */
final class SliceCopy {
  /** Number of series that are held in memory and whose rows are planned together. */
  private static final int SERIES_AT_ONCE = 1024;

  /** Number of samples that are written together. */
  private static final int SAMPLES_AT_ONCE = 1 << 15;

  /** Bytes of texts that are written together. */
  private static final int TEXTS_AT_ONCE = 4 << 20;

  /** Estimated memory of a sample and of its cells, in bytes, without texts. */
  private static final long SAMPLE_BYTES = 60;

  /** Number of times that series are copied before it counts as an error that copies differ. */
  private static final int ATTEMPTS = 3;

  private static final Duration PAUSE = Duration.ofMillis(200);

  private final OpenDataset dataset;
  private final DatasetReader reader;
  private final BlockCopier copier;
  private final Runnable progress;
  private final BooleanSupplier stopped;
  private final List<SampleGroup> waiting = new ArrayList<>();
  private int waitingSamples;
  private long waitingTexts;
  private long samples;
  private long again;

  /** Room for copies that are made while writers wait; null if each write takes its own. */
  private @Nullable Room held;

  /**
   * @param stopped true once nothing more may be copied; asked for each run and each write
   */
  SliceCopy(
      OpenDataset dataset,
      DatasetReader reader,
      BlockCopier copier,
      Runnable progress,
      BooleanSupplier stopped) {
    this.dataset = dataset;
    this.reader = reader;
    this.copier = copier;
    this.progress = progress;
    this.stopped = stopped;
  }

  /** Returns the number of samples copied so far. */
  long samples() {
    return samples;
  }

  /** Returns the number of samples among them that were copied once more. */
  long again() {
    return again;
  }

  /** Copies a slice of some series. */
  void run(TimeRange slice, Matches series) {
    copy(slice, series.stream().iterator());
  }

  /**
   * Copies a slice of some series once more.
   *
   * @param numbers of the series in the index
   */
  void again(TimeRange slice, BitSet numbers) {
    long before = samples;
    copy(
        slice,
        numbers.stream()
            .mapToObj(number ->
                new Match(number, dataset.index().key(number), dataset.index().fields(number)))
            .iterator());
    again += samples - before;
  }

  /**
   * Takes room for {@link #againWithin}.
   *
   * @throws OverloadedException if too much is waiting to be written
   */
  Room enter() {
    return copier.enter(bytes(SAMPLES_AT_ONCE, TEXTS_AT_ONCE));
  }

  /**
   * Copies a slice of some series once more, within room that was taken before, and without waiting
   * for more.
   *
   * @param numbers of the series in the index
   * @throws OverloadedException if too much is waiting to be sealed; perhaps not all was copied
   */
  void againWithin(Room room, TimeRange slice, BitSet numbers) {
    held = room;
    try {
      again(slice, numbers);
    } finally {
      held = null;
    }
  }

  private static long bytes(long samples, long texts) {
    return SAMPLE_BYTES * samples + 2 * texts;
  }

  private void copy(TimeRange slice, Iterator<Match> series) {
    if (kept(slice).isEmpty()) {
      return;
    }
    List<Match> some = new ArrayList<>();
    while (series.hasNext() && !stopped.getAsBoolean()) {
      some.add(series.next());
      if (some.size() == SERIES_AT_ONCE || !series.hasNext()) {
        some.sort((a, b) -> Matches.ORDER.compare(a.key(), b.key()));
        copyAndCompare(slice, some);
        some.clear();
        progress.run();
      }
    }
  }

  private void copyAndCompare(TimeRange slice, List<Match> series) {
    for (int attempt = 1; ; attempt++) {
      Map<Series, String> written = copy(slice, series);
      Map<Series, String> found = digests(slice, series);
      if (written.equals(found) || stopped.getAsBoolean()) {
        return;
      }
      if (attempt == ATTEMPTS) {
        throw new CorruptDataException(differ(slice, written, found));
      }
    }
  }

  private String differ(TimeRange slice, Map<Series, String> written, Map<Series, String> found) {
    String first =
        written.entrySet().stream()
            .filter(one -> !one.getValue().equals(found.get(one.getKey())))
            .map(one -> one.getKey().toString())
            .sorted()
            .findFirst()
            .orElse("a series without cells");
    return "dataset '%s': from %d to %d blocks return other samples of %s than cells, %d times in a row; cells stay"
        .formatted(dataset.name(), slice.from(), slice.to(), first, ATTEMPTS);
  }

  /** Copies samples, and returns a digest of those of each series. */
  private Map<Series, String> copy(TimeRange slice, List<Match> series) {
    List<Period> cells =
        dataset.periods().all().stream()
            .filter(period -> !period.isInBlocks() && !period.times().isEmpty())
            .filter(period -> period.times().overlaps(slice))
            .toList();
    Digests digests = new Digests();
    try (RunCursor runs = reader.jobs().ofPeriods(cells, series, kept(slice))) {
      for (Run run = runs.next(); run != null && !stopped.getAsBoolean(); run = runs.next()) {
        digests.add(run);
        add(run);
        samples += run.samples().size();
      }
    }
    write();
    return digests.end();
  }

  /** Returns digests of the samples that blocks have. */
  private Map<Series, String> digests(TimeRange slice, List<Match> series) {
    Period blocks = dataset.periods().all().getLast().answering(slice);
    Digests digests = new Digests();
    try (RunCursor runs = reader.jobs().ofPeriods(List.of(blocks), series, kept(slice))) {
      for (Run run = runs.next(); run != null && !stopped.getAsBoolean(); run = runs.next()) {
        digests.add(run);
      }
    }
    return digests.end();
  }

  private TimeRange kept(TimeRange slice) {
    return slice.intersect(new TimeRange(dataset.oldestKept(), Long.MAX_VALUE));
  }

  /** Gathers a run. What is written together is no larger than its limits, or a single run. */
  private void add(Run run) {
    Samples of = run.samples();
    GroupKey key = run.series().key();
    long texts = of.kind() == Kind.STRING && !of.isEmpty() ? of.textEnd(of.size() - 1) : 0;
    if (waitingSamples + of.size() > SAMPLES_AT_ONCE || waitingTexts + texts > TEXTS_AT_ONCE) {
      write();
    }
    waiting.add(
        new SampleGroup(
            key,
            of.size(),
            Arrays.copyOf(of.times(), of.size()),
            List.of(column(run.series().field(), of))));
    waitingSamples += of.size();
    waitingTexts += texts;
  }

  private static Column column(String field, Samples of) {
    int size = of.size();
    return switch (of.kind()) {
      case INT64 -> new Column.Longs(field, Arrays.copyOf(of.longs(), size), null);
      case DOUBLE -> new Column.Doubles(field, Arrays.copyOf(of.doubles(), size), null);
      case STRING -> texts(field, of);
    };
  }

  private static Column texts(String field, Samples of) {
    int[] ends = new int[of.size()];
    for (int i = 0; i < ends.length; i++) {
      ends[i] = of.textEnd(i);
    }
    int length = ends.length == 0 ? 0 : ends[ends.length - 1];
    return new Column.Texts(field, Arrays.copyOf(of.text(), length), ends, null);
  }

  /**
   * Writes the gathered samples, as soon as there is room.
   *
   * @throws OverloadedException if there is none while writers wait
   */
  private void write() {
    Period into = dataset.periods().all().getLast();
    try {
      boolean written = waiting.isEmpty();
      while (!written && !stopped.getAsBoolean()) {
        written = isWritten(into);
      }
    } finally {
      waiting.clear();
      waitingSamples = 0;
      waitingTexts = 0;
    }
  }

  private boolean isWritten(Period into) {
    Room reserved = held;
    if (reserved != null) {
      return reserved.write(into, waiting, stopped);
    }
    try (Room own = copier.enter(bytes(waitingSamples, waitingTexts))) {
      return own.write(into, waiting, stopped);
    } catch (OverloadedException e) {
      pause(e);
      return false;
    }
  }

  /**
   * Waits a little until there may be room.
   *
   * @throws OverloadedException the reason, if the thread is interrupted
   */
  static void pause(OverloadedException reason) {
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw reason;
    }
  }

  /** Digests of series whose runs come one series after the other. */
  private static final class Digests {
    private final Map<Series, SampleDigest> open = new HashMap<>();

    void add(Run run) {
      Samples of = run.samples();
      if (of.isEmpty()) {
        return;
      }
      SampleDigest digest = open.computeIfAbsent(run.series(), series -> new SampleDigest());
      for (int i = 0; i < of.size(); i++) {
        switch (of.kind()) {
          case INT64 -> digest.add(of.time(i), Kind.INT64, of.longAt(i));
          case DOUBLE ->
              digest.add(of.time(i), Kind.DOUBLE, Double.doubleToRawLongBits(of.doubleAt(i)));
          case STRING ->
              digest.add(of.time(i), Arrays.copyOfRange(of.text(), of.textStart(i), of.textEnd(i)));
        }
      }
    }

    Map<Series, String> end() {
      Map<Series, String> hex = new HashMap<>();
      open.forEach((series, digest) -> hex.put(series, digest.hex()));
      return hex;
    }
  }
}
