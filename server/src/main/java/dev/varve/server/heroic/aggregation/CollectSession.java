package dev.varve.server.heroic.aggregation;

import dev.varve.server.heroic.aggregation.Values.Points;
import dev.varve.server.heroic.series.HeroicSeries;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;

/** Collects values by key, in order of time. Points of several series at one time all stay. */
final class CollectSession implements Session {
  private static final String HELD = "points that are not put into buckets";

  /** A point, and a copy of it while runs are merged. */
  private static final int POINT_BYTES = 32;

  private static final int RECORD_BYTES = 80;

  private final Retained retained;
  private final Map<Map<String, String>, Collected> byKey = new LinkedHashMap<>();

  CollectSession(Retained retained) {
    this.retained = retained;
  }

  @Override
  public void update(Map<String, String> key, Set<HeroicSeries> series, Values values) {
    Collected collected = byKey.computeIfAbsent(key, k -> new Collected());
    retained.add(series, collected.series);
    int size = values.size();
    retained.retain(
        size, (long) size * (values instanceof Points ? POINT_BYTES : RECORD_BYTES), HELD);
    switch (values) {
      case Points points ->
          collected.points.add(
              new Points(
                  Arrays.copyOf(points.times(), size), Arrays.copyOf(points.values(), size), size));
      case Values.Spreads some -> collected.spreads.addAll(some.spreads());
      case Values.Groups some -> collected.groups.addAll(some.groups());
      case Values.Distributions some -> collected.distributions.addAll(some.distributions());
      case Values.Digests some -> collected.digests.addAll(some.digests());
    }
  }

  @Override
  public List<Output> result() {
    List<Output> outputs = new ArrayList<>();
    byKey.forEach((key, collected) -> {
      for (Values values : collected.values()) {
        outputs.add(new Output(key, collected.series, values));
      }
    });
    return outputs;
  }

  private static final class Collected {
    private final Set<HeroicSeries> series = new LinkedHashSet<>();
    private final List<Points> points = new ArrayList<>();
    private final List<Values.Spread> spreads = new ArrayList<>();
    private final List<Values.Collected> groups = new ArrayList<>();
    private final List<Values.Distribution> distributions = new ArrayList<>();
    private final List<Values.Digest> digests = new ArrayList<>();

    /** Returns the values of each kind; points if there are none at all. */
    private List<Values> values() {
      List<Values> all = new ArrayList<>();
      if (!groups.isEmpty()) {
        all.add(new Values.Groups(sorted(groups, Values.Collected::time)));
      }
      if (!distributions.isEmpty()) {
        all.add(new Values.Distributions(sorted(distributions, Values.Distribution::time)));
      }
      if (!digests.isEmpty()) {
        all.add(new Values.Digests(sorted(digests, Values.Digest::time)));
      }
      if (!spreads.isEmpty()) {
        all.add(new Values.Spreads(sorted(spreads, Values.Spread::time)));
      }
      if (!points.isEmpty() || all.isEmpty()) {
        all.add(merged(points));
      }
      return all;
    }
  }

  private static <T> List<T> sorted(List<T> values, ToLongFunction<T> time) {
    values.sort(Comparator.comparingLong(time));
    return values;
  }

  /** Merges runs by halves, so that each point is moved about log(runs) times. */
  private static Points merged(List<Points> runs) {
    if (runs.isEmpty()) {
      return new Points(new long[0], new double[0], 0);
    }
    if (runs.size() == 1) {
      return runs.getFirst();
    }
    int half = runs.size() / 2;
    return merged(merged(runs.subList(0, half)), merged(runs.subList(half, runs.size())));
  }

  private static Points merged(Points a, Points b) {
    int size = a.size() + b.size();
    long[] times = Arrays.copyOf(a.times(), size);
    double[] values = Arrays.copyOf(a.values(), size);
    if (a.size() > 0 && b.size() > 0 && b.times()[0] < a.times()[a.size() - 1]) {
      int left = 0;
      int right = 0;
      for (int i = 0; i < size; i++) {
        boolean fromLeft =
            right == b.size() || (left < a.size() && a.times()[left] <= b.times()[right]);
        times[i] = fromLeft ? a.times()[left] : b.times()[right];
        values[i] = fromLeft ? a.values()[left++] : b.values()[right++];
      }
    } else {
      System.arraycopy(b.times(), 0, times, a.size(), b.size());
      System.arraycopy(b.values(), 0, values, a.size(), b.size());
    }
    return new Points(times, values, size);
  }
}
