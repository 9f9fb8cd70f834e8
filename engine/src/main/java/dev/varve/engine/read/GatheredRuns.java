package dev.varve.engine.read;

import dev.varve.layout.RowShape;
import dev.varve.layout.plan.Plan;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
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
import org.jspecify.annotations.Nullable;

/**
 * Series that are read together and given out one behind the other. One range over the rows of many
 * series is often cheaper than one for each, but its rows come in the order of the table: so all of
 * it is held before the first run goes out, which is done only where little is expected.
 */
final class GatheredRuns {
  /** So many series are planned together: what is read together should be so once. */
  static final int SERIES_MAX = 4096;

  /** So many samples may be expected: some megabytes. */
  private static final long EXPECTED_MAX = 1 << 16;

  /** So many are held where the expectation was wrong. */
  private static final long HELD_MAX = 4 * EXPECTED_MAX;

  /** A time, a number and a stamp. */
  private static final long BYTES_PER_SAMPLE = 24;

  private final Reading reading;
  private final List<PlannedRead> plans;
  private final int first;
  private final int size;
  private final Map<GroupKey, Map<Series, List<Run>>> byKey = new LinkedHashMap<>();
  private final Deque<Run> ready = new ArrayDeque<>();
  private boolean filled;
  private long samples;
  private long bytes;

  /**
   * Series to be read together, each of another key.
   *
   * @param plans period by period, in rising order of time
   * @param wanted their places among those that match, in the order in which they are given out
   */
  GatheredRuns(Reading reading, List<PlannedRead> plans, List<Integer> wanted) {
    this.reading = reading;
    this.plans = plans;
    this.first = wanted.getFirst();
    this.size = wanted.size();
    for (int match : wanted) {
      byKey.put(reading.matches().get(match).key(), new LinkedHashMap<>(2));
    }
  }

  /**
   * Whether it may pay to read series together which are more than are planned at a time: where
   * parts of the key stand behind the time, neighbours of one time lie side by side.
   */
  static boolean mayPay(RowShape shape) {
    int time = shape.timePart();
    return time >= 0
        && shape.parts().subList(time, shape.parts().size()).stream()
            .anyMatch(part -> part.role().ofKey());
  }

  /** Whether what some plans are expected to read is little enough to be held. */
  static boolean mayHold(List<PlannedRead> plans) {
    long expected = 0;
    for (PlannedRead planned : plans) {
      OptionalLong cells = planned.plan().estimate().cellsWanted();
      if (cells.isEmpty() || cells.getAsLong() > EXPECTED_MAX) {
        return false;
      }
      expected += cells.getAsLong();
    }
    return expected <= EXPECTED_MAX;
  }

  /** The place of the first series among those that match. */
  int first() {
    return first;
  }

  /** How many series there are. */
  int size() {
    return size;
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
    for (PlannedRead planned : plans) {
      for (Plan.StrandGroup group : planned.plan().groups()) {
        if (!fill(planned, group)) {
          release();
          return false;
        }
      }
    }
    byKey.values().forEach(ofKey -> ofKey.values().forEach(ready::addAll));
    byKey.clear();
    filled = true;
    return true;
  }

  private boolean fill(PlannedRead planned, Plan.StrandGroup group) {
    try (GroupReader reader = new GroupReader(reading, planned, group, false)) {
      for (Run run = reader.next(); run != null; run = reader.next()) {
        samples += run.samples().size();
        if (samples > HELD_MAX) {
          return false;
        }
        hold(run);
      }
      return true;
    }
  }

  private void hold(Run run) {
    Samples given = run.samples();
    long more = BYTES_PER_SAMPLE * given.size() + textBytes(given);
    reading.guard().held(more, "series that are read together");
    bytes += more;
    Samples held = new Samples(given.kind());
    held.addAll(given, 0, given.size());
    byKey
        .computeIfAbsent(run.series().key(), key -> new LinkedHashMap<>(2))
        .computeIfAbsent(run.series(), series -> new ArrayList<>(1))
        .add(new Run(run.series(), held, run.precedence(), run.summary()));
  }

  private static long textBytes(Samples samples) {
    return samples.kind() == Kind.STRING && !samples.isEmpty()
        ? samples.textEnd(samples.size() - 1)
        : 0;
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
