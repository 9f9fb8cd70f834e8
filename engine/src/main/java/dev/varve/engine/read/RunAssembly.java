package dev.varve.engine.read;

import dev.varve.engine.pending.HiddenSamples;
import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.layout.RowSamples;
import dev.varve.layout.RowSamples.Vector;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Run;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Assembles runs from the decoded rows of a group of series: trims them to the requested times,
 * chooses versions, and collects samples that are too few for a run. Used by one thread.
 */
final class RunAssembly {
  /** Minimum number of samples that form a run without being copied. */
  private static final int LONG = 512;

  /** Number of collected samples that form a run. */
  private static final int FULL = 4096;

  /** Maximum number of collected samples of all series together. */
  private static final int GATHERED_MAX = 1 << 18;

  private static final int SPARE_MAX = 16;

  private final Reading reading;
  private final int precedence;
  private final boolean eachKind;
  private final List<List<Gathered>> byPlace = new ArrayList<>();
  private final List<Integer> matches;
  private final Deque<Ready> ready = new ArrayDeque<>();
  private final Map<Kind, Deque<Samples>> spare = new EnumMap<>(Kind.class);
  private final List<Samples> sameField = new ArrayList<>(2);
  private int gatheredSamples;
  private @Nullable Ready given;

  /**
   * A run to deliver.
   *
   * @param ours whether its samples can be reused afterwards
   */
  private record Ready(Run run, boolean ours) {}

  /** The collected samples of one series, of one kind at a time or of each kind. */
  private static final class Gathered {
    private final Series series;
    private final int match;
    private final Map<Kind, Samples> samples = new EnumMap<>(Kind.class);

    private Gathered(Series series, int match) {
      this.series = series;
      this.match = match;
    }
  }

  /**
   * @param matches for each place of the group, the index of its series among the matching ones
   */
  RunAssembly(Reading reading, int precedence, List<Integer> matches) {
    this.reading = reading;
    this.precedence = precedence;
    this.eachKind = reading.request().kinds() == Kinds.EACH;
    for (int i = 0; i < matches.size(); i++) {
      byPlace.add(new ArrayList<>(1));
    }
    this.matches = matches;
  }

  /** Returns the next run that is ready, or null. Invalidates the previous run. */
  @Nullable Run poll() {
    if (given != null && given.ours()) {
      Samples samples = given.run().samples();
      Deque<Samples> ofKind = spare.computeIfAbsent(samples.kind(), kind -> new ArrayDeque<>());
      samples.clear();
      if (ofKind.size() < SPARE_MAX) {
        ofKind.add(samples);
      }
    }
    given = ready.poll();
    return given == null ? null : given.run();
  }

  /**
   * Leaves the samples of the run polled last to the caller.
   *
   * @return false if they are used again, so that they must be copied to keep them
   */
  boolean leave() {
    boolean left = given != null && given.ours();
    given = left ? null : given;
    return left;
  }

  boolean isEmpty() {
    return ready.isEmpty();
  }

  /**
   * Adds the decoded samples of a unit. Its vectors may become runs and must not be changed while a
   * run is ready.
   *
   * @param trimmed the requested times
   */
  void take(int place, RowSamples unit, TimeRange trimmed) {
    List<Vector> vectors = unit.vectors();
    for (int i = 0; i < vectors.size(); i++) {
      String field = vectors.get(i).field();
      if (isFirstOfField(vectors, i) && reading.wantsField(matches.get(place), field)) {
        sameField.clear();
        int series = reading.matches().get(matches.get(place)).series();
        HiddenSamples hidden = reading.deletes().of(series, field);
        for (int v = i; v < vectors.size(); v++) {
          if (vectors.get(v).field().equals(field)) {
            addTrimmed(vectors.get(v).samples(), trimmed, hidden);
          }
        }
        take(gathered(place, field));
      }
    }
    if (gatheredSamples > GATHERED_MAX) {
      flush();
    }
  }

  private static boolean isFirstOfField(List<Vector> vectors, int index) {
    for (int v = 0; v < index; v++) {
      if (vectors.get(v).field().equals(vectors.get(index).field())) {
        return false;
      }
    }
    return true;
  }

  private void addTrimmed(Samples samples, TimeRange trimmed, @Nullable HiddenSamples hidden) {
    int outside = 0;
    for (int i = 0; i < samples.size(); i++) {
      outside += isWanted(samples, i, trimmed, hidden) ? 0 : 1;
    }
    if (outside == samples.size()) {
      return;
    }
    if (outside == 0) {
      sameField.add(samples);
      return;
    }
    Samples inside = new Samples(samples.kind());
    for (int i = 0; i < samples.size(); i++) {
      if (isWanted(samples, i, trimmed, hidden)) {
        inside.addFrom(samples, i);
      }
    }
    sameField.add(inside);
  }

  private static boolean isWanted(
      Samples samples, int index, TimeRange trimmed, @Nullable HiddenSamples hidden) {
    long time = samples.time(index);
    return trimmed.contains(time)
        && (hidden == null || !hidden.contains(time, samples.stamp(index)));
  }

  private void take(Gathered series) {
    if (eachKind) {
      for (Samples samples : sameField) {
        take(series, List.of(samples), samples.kind());
      }
    } else if (!sameField.isEmpty()) {
      take(series, sameField, null);
    }
  }

  /**
   * Adds samples of a series, of which one per instant is delivered unless all versions are
   * requested.
   *
   * @param kind the kind of the samples; null if kinds are not separate
   */
  private void take(Gathered series, List<Samples> vectors, @Nullable Kind kind) {
    VersionRule versions = reading.versions();
    boolean asTheyAre = vectors.size() == 1 && versions.passes(vectors.getFirst());
    if (reading.newest().isAsked()) {
      takeNewest(series, vectors, kind);
    } else if (asTheyAre && vectors.getFirst().size() >= LONG) {
      flush(series);
      ready(series, vectors.getFirst(), false);
    } else if (asTheyAre) {
      gather(series, vectors.getFirst());
    } else {
      versions.choose(vectors, (from, index) -> gather(series, from, index));
    }
  }

  private void gather(Gathered series, Samples from) {
    int next = 0;
    while (next < from.size()) {
      Samples samples = open(series, from.kind());
      int end = Math.min(from.size(), next + FULL - samples.size());
      samples.addAll(from, next, end);
      gathered(series, samples, end - next);
      next = end;
    }
  }

  private void gather(Gathered series, Samples from, int index) {
    Samples samples = open(series, from.kind());
    samples.addFrom(from, index);
    gathered(series, samples, 1);
  }

  /** Returns the collected samples of a kind, with room for at least one more. */
  private Samples open(Gathered series, Kind kind) {
    Samples samples = series.samples.get(kind);
    if (samples == null) {
      if (!eachKind) {
        flush(series);
      }
      samples = takeSpare(kind);
      series.samples.put(kind, samples);
    }
    return samples;
  }

  private void gathered(Gathered series, Samples samples, int more) {
    gatheredSamples += more;
    if (samples.size() == FULL) {
      flush(series);
    }
  }

  /** Delivers the newest samples immediately, the latest run first. */
  private void takeNewest(Gathered series, List<Samples> vectors, @Nullable Kind kind) {
    List<Samples> chosen = new ArrayList<>(1);
    reading
        .versions()
        .choose(
            vectors,
            (from, index) -> {
              if (chosen.isEmpty() || chosen.getLast().kind() != from.kind()) {
                chosen.add(new Samples(from.kind()));
              }
              chosen.getLast().addFrom(from, index);
            });
    for (Samples samples : chosen.reversed()) {
      int wanted = reading.newest().take(series.match, series.series.field(), kind, samples.size());
      if (wanted > 0) {
        ready(series, last(samples, wanted), false);
      }
    }
  }

  private static Samples last(Samples samples, int count) {
    if (count == samples.size()) {
      return samples;
    }
    Samples last = new Samples(samples.kind());
    for (int i = samples.size() - count; i < samples.size(); i++) {
      last.addFrom(samples, i);
    }
    return last;
  }

  private Gathered gathered(int place, String field) {
    List<Gathered> ofPlace = byPlace.get(place);
    for (int i = 0; i < ofPlace.size(); i++) {
      if (ofPlace.get(i).series.field().equals(field)) {
        return ofPlace.get(i);
      }
    }
    int match = matches.get(place);
    GroupKey key = reading.matches().get(match).key();
    Gathered gathered = new Gathered(key.field(field), match);
    ofPlace.add(gathered);
    return gathered;
  }

  /** Makes runs of the collected samples of one series. */
  void flush(int place) {
    byPlace.get(place).forEach(this::flush);
  }

  /** Makes runs of all collected samples. */
  void flush() {
    for (List<Gathered> ofPlace : byPlace) {
      for (Gathered gathered : ofPlace) {
        flush(gathered);
      }
    }
  }

  private void flush(Gathered series) {
    for (Samples samples : series.samples.values()) {
      gatheredSamples -= samples.size();
      ready(series, samples, true);
    }
    series.samples.clear();
  }

  private void ready(Gathered series, Samples samples, boolean ours) {
    ready.add(new Ready(new Run(series.series, samples, precedence, null), ours));
  }

  private Samples takeSpare(Kind kind) {
    Deque<Samples> ofKind = spare.get(kind);
    Samples samples = ofKind == null ? null : ofKind.poll();
    return samples != null ? samples : new Samples(kind);
  }
}
