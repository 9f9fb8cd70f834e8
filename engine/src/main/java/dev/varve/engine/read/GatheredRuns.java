package dev.varve.engine.read;

import dev.varve.layout.KeyPart;
import dev.varve.layout.Layout;
import dev.varve.layout.plan.Plan;
import dev.varve.model.GroupKey;
import dev.varve.model.Run;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads several series together and delivers them one after the other. One range over the rows of
 * many series is often cheaper than one range per series, but its rows arrive in the order of the
 * table. Therefore everything is held before the first run is delivered. This is done only if
 * little is expected, and given up if it turns out to be much or if there is no room for it.
 */
final class GatheredRuns {
  /** Maximum number of series that are planned together. */
  static final int SERIES_MAX = 4096;

  /** Maximum number of expected samples, which take twelve megabytes. */
  private static final long EXPECTED_MAX = 1 << 19;

  /**
   * The same if series are long. Reading those in turn takes few requests, each of which delivers
   * much.
   */
  private static final long EXPECTED_MAX_OF_LONG = 1 << 16;

  /** Mean number of samples above which series count as long. */
  private static final long LONG_SERIES = 8_192;

  /** Maximum number of samples held. */
  private static final long HELD_MAX = 2 * EXPECTED_MAX;

  /** Factor by which the actual numbers may differ from the expected ones, which are estimates. */
  private static final long WRONG_BY = 4;

  /** Number of samples from which a run is not joined to the run before it. */
  private static final int LONG = 128;

  /** A time, a number and a stamp. */
  private static final long BYTES_PER_SAMPLE = 24;

  /** Memory of a run with the initial capacity of its samples. */
  private static final long BYTES_PER_RUN = 500;

  private final Reading reading;
  private final List<PlannedRead> plans;
  private final List<Integer> wanted;
  private final Map<GroupKey, Map<Series, List<Run>>> byKey = new LinkedHashMap<>();
  private final Deque<Run> ready = new ArrayDeque<>();
  private boolean filled;
  private long samples;
  private long bytes;

  /**
   * Creates a read of series with different keys.
   *
   * @param plans plans that may be held, one for each period, in ascending order of time
   * @param wanted indexes of matching series, in the order of delivery
   */
  GatheredRuns(Reading reading, List<PlannedRead> plans, List<Integer> wanted) {
    this.reading = reading;
    this.plans = plans.stream().map(SeriesInTurn::withFewCursors).map(TimeSweep::of).toList();
    this.wanted = List.copyOf(wanted);
  }

  /**
   * Returns whether reading very many series together may be cheaper: if parts of the key follow
   * the time, the rows of different series at one time are adjacent.
   */
  static boolean mayPay(Layout layout) {
    int time = layout.rows().timePart();
    List<KeyPart> parts = layout.rows().parts();
    return layout.directory().isEmpty()
        && time >= 0
        && parts.subList(time, parts.size()).stream().anyMatch(part -> part.role().ofKey());
  }

  /**
   * Returns whether the expected result of some plans is small enough to hold. Series with texts
   * are not held, because texts may have any length.
   *
   * @param wanted indexes of matching series
   */
  static boolean mayHold(Reading reading, List<PlannedRead> plans, List<Integer> wanted) {
    long expected = expected(plans);
    return expected <= mostExpected(expected, wanted.size())
        && wanted.stream().noneMatch(reading::mayHaveTexts)
        && hasRoom(reading, expected, wanted.size());
  }

  private static long mostExpected(long expected, int series) {
    return expected <= LONG_SERIES * series ? EXPECTED_MAX : EXPECTED_MAX_OF_LONG;
  }

  private static boolean hasRoom(Reading reading, long samples, int series) {
    long bytes = BYTES_PER_SAMPLE * samples + BYTES_PER_RUN * series;
    boolean room = reading.guard().tryHold(bytes);
    if (room) {
      reading.guard().released(bytes);
    }
    return room;
  }

  /**
   * Estimates how many series may be held if they are like those of some plans, as far as their
   * number matters: with texts it does not.
   *
   * @param wanted indexes of the matching series of the plans
   */
  static int mostLike(Reading reading, List<PlannedRead> plans, List<Integer> wanted) {
    int size = wanted.size();
    if (wanted.stream().anyMatch(reading::mayHaveTexts)) {
      return size;
    }
    long expected = expected(plans);
    long allowed = mostExpected(expected, size);
    int most = (int) Math.min(SERIES_MAX, allowed * size / Math.max(1, expected));
    while (most > 1 && !hasRoom(reading, expected * most / size, most)) {
      most /= 2;
    }
    return most;
  }

  /**
   * Returns how many samples some plans are expected to deliver. If the catalog has no counts, as
   * in attached tables, rows are assumed to be few rather than full: reading in vain costs less
   * than many small reads.
   */
  private static long expected(List<PlannedRead> plans) {
    OptionalLong counted = cells(plans, Plan.Estimate::cellsWanted);
    return counted.isPresent() && cells(plans, Plan.Estimate::cells).isPresent()
        ? counted.getAsLong()
        : guess(plans) / WRONG_BY;
  }

  /** Returns how many cells some plans read if the assumptions of the planner hold. */
  private static long guess(List<PlannedRead> plans) {
    double cells = 0;
    for (PlannedRead planned : plans) {
      List<Plan.Alternative> ways = planned.plan().alternatives();
      cells += ways.isEmpty() ? 0 : ways.getFirst().expected().cells();
    }
    return Math.round(cells);
  }

  private static OptionalLong cells(
      List<PlannedRead> plans, Function<Plan.Estimate, OptionalLong> which) {
    long sum = 0;
    for (PlannedRead planned : plans) {
      OptionalLong cells = which.apply(planned.plan().estimate());
      if (cells.isEmpty()) {
        return cells;
      }
      sum += cells.getAsLong();
    }
    return OptionalLong.of(sum);
  }

  /** Returns the number of series. */
  int size() {
    return wanted.size();
  }

  /**
   * Reads everything unless it was read already.
   *
   * @return false if it is too much. Nothing is held then, and the caller must read in another way
   */
  boolean fill() {
    if (filled) {
      return true;
    }
    for (int match : wanted) {
      byKey.put(reading.matches().get(match).key(), new LinkedHashMap<>(2));
    }
    long expected = cells(plans, Plan.Estimate::cells).orElse(guess(plans));
    filled =
        reading.within(
            WRONG_BY * Math.max(EXPECTED_MAX, expected), () -> plans.stream().allMatch(this::fill));
    if (!filled) {
      release();
      return false;
    }
    byKey.values().forEach(ofKey -> ofKey.values().forEach(ready::addAll));
    byKey.clear();
    return true;
  }

  private boolean fill(PlannedRead planned) {
    return planned.plan().groups().stream().allMatch(group -> fill(planned, group));
  }

  private boolean fill(PlannedRead planned, Plan.StrandGroup group) {
    try (GroupReader reader = new GroupReader(reading, planned, group, false)) {
      for (Run run = reader.next(); run != null; run = reader.next()) {
        if (!hold(run, reader)) {
          return false;
        }
      }
      return true;
    }
  }

  /** Keeps a run, or a copy of it, if there is room for it. */
  private boolean hold(Run run, GroupReader from) {
    List<Run> runs =
        byKey
            .computeIfAbsent(run.series().key(), key -> new LinkedHashMap<>(2))
            .computeIfAbsent(run.series(), series -> new ArrayList<>(1));
    Samples given = run.samples();
    boolean goesOn =
        !runs.isEmpty()
            && given.size() < LONG
            && runs.getLast().precedence() == run.precedence()
            && runs.getLast().samples().kind() == given.kind();
    long more = BYTES_PER_SAMPLE * given.size() + (goesOn ? 0 : BYTES_PER_RUN);
    samples += given.size();
    if (samples > HELD_MAX || !reading.guard().tryHold(more)) {
      return false;
    }
    bytes += more;
    if (goesOn) {
      runs.getLast().samples().addAll(given, 0, given.size());
    } else if (from.leave()) {
      runs.add(run);
    } else {
      Samples copy = new Samples(given.kind());
      copy.addAll(given, 0, given.size());
      runs.add(new Run(run.series(), copy, run.precedence(), null));
    }
    return true;
  }

  /** Returns the next run; null after the last one, when nothing is held any more. */
  @Nullable Run next() {
    Run run = ready.poll();
    if (run == null) {
      release();
    }
    return run;
  }

  /** Releases everything that is held. */
  void release() {
    byKey.clear();
    ready.clear();
    if (bytes > 0) {
      reading.guard().released(bytes);
      bytes = 0;
    }
  }
}
