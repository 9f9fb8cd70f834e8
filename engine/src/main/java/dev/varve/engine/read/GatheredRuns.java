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
 * Series that are read together and given out one behind the other. One range over the rows of many
 * series is often cheaper than one for each, but its rows come in the order of the table: so all of
 * it is held before the first run goes out. That is done only where little is expected, and given
 * up where it turns out to be much, or there is no room for it.
 */
final class GatheredRuns {
  /** So many series are planned together: what is read together should be so once. */
  static final int SERIES_MAX = 4096;

  /** So many samples may be expected: some megabytes. */
  private static final long EXPECTED_MAX = 1 << 16;

  /** So many times as much may be held and looked at, since what is expected is a guess. */
  private static final long WRONG_BY = 4;

  /** A time, a number and a stamp. */
  private static final long BYTES_PER_SAMPLE = 24;

  /** What is allotted for the first samples of a run, and the run itself. */
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
   * Series to be read together, each of another key.
   *
   * @param plans that may be held, period by period, in rising order of time
   * @param wanted their places among those that match, in the order in which they are given out
   */
  GatheredRuns(Reading reading, List<PlannedRead> plans, List<Integer> wanted) {
    this.reading = reading;
    this.plans = plans.stream().map(SeriesInTurn::withFewCursors).toList();
    this.wanted = List.copyOf(wanted);
  }

  /**
   * Whether it may pay to read series together which are more than are planned at a time: where
   * parts of the key stand behind the time, neighbours of one time lie side by side.
   */
  static boolean mayPay(Layout layout) {
    int time = layout.rows().timePart();
    List<KeyPart> parts = layout.rows().parts();
    return layout.directory().isEmpty()
        && time >= 0
        && parts.subList(time, parts.size()).stream().anyMatch(part -> part.role().ofKey());
  }

  /**
   * Whether what some plans are expected to read is known, and little enough to be held; texts may
   * be of any length, and are not.
   *
   * @param wanted the places of their series among those that match
   */
  static boolean mayHold(Reading reading, List<PlannedRead> plans, List<Integer> wanted) {
    OptionalLong expected = cells(plans, Plan.Estimate::cellsWanted);
    return expected.isPresent()
        && expected.getAsLong() <= EXPECTED_MAX
        && cells(plans, Plan.Estimate::cells).isPresent()
        && wanted.stream().noneMatch(reading::mayHaveTexts);
  }

  /** How many series like some may be held, by what is expected of these. */
  static int mostLike(List<PlannedRead> plans, int size) {
    long expected = Math.max(1, cells(plans, Plan.Estimate::cellsWanted).orElse(EXPECTED_MAX));
    return (int) Math.min(SERIES_MAX, EXPECTED_MAX * size / expected);
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

  /** The place of the first series among those that match. */
  int first() {
    return wanted.getFirst();
  }

  /** How many series there are. */
  int size() {
    return wanted.size();
  }

  /**
   * Reads everything, if it has not been read.
   *
   * @return false where it is too much: nothing is held any more then, and it has to be read in
   *     another way
   */
  boolean fill() {
    if (filled) {
      return true;
    }
    for (int match : wanted) {
      byKey.put(reading.matches().get(match).key(), new LinkedHashMap<>(2));
    }
    long expected = cells(plans, Plan.Estimate::cells).orElse(0);
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
        if (!hold(run)) {
          return false;
        }
      }
      return true;
    }
  }

  /** Keeps a copy, if there is room for it. */
  private boolean hold(Run run) {
    List<Run> runs =
        byKey
            .computeIfAbsent(run.series().key(), key -> new LinkedHashMap<>(2))
            .computeIfAbsent(run.series(), series -> new ArrayList<>(1));
    Samples given = run.samples();
    boolean goesOn =
        !runs.isEmpty()
            && runs.getLast().precedence() == run.precedence()
            && runs.getLast().samples().kind() == given.kind();
    long more = BYTES_PER_SAMPLE * given.size() + (goesOn ? 0 : BYTES_PER_RUN);
    samples += given.size();
    if (samples > WRONG_BY * EXPECTED_MAX || !reading.guard().tryHold(more)) {
      return false;
    }
    bytes += more;
    if (!goesOn) {
      runs.add(new Run(run.series(), new Samples(given.kind()), run.precedence(), null));
    }
    runs.getLast().samples().addAll(given, 0, given.size());
    return true;
  }

  /** The next run of what was read; null behind the last, when nothing is held any more. */
  @Nullable Run next() {
    Run run = ready.poll();
    if (run == null) {
      release();
    }
    return run;
  }

  /** Lets go of what is held. */
  void release() {
    byKey.clear();
    ready.clear();
    if (bytes > 0) {
      reading.guard().released(bytes);
      bytes = 0;
    }
  }
}
