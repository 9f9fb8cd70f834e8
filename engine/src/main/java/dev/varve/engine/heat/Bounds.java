package dev.varve.engine.heat;

import dev.varve.model.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Finds bounds of ranges, so that each has about the same load and a hot row is alone. */
final class Bounds {
  /** Number of ranges among which a load is divided, fewer than there may be. */
  static final int WANTED = KeyRanges.MAX * 3 / 4;

  /** Slices with fewer operations do not change the ranges. */
  private static final long TELLING = 2_000;

  /** A range this many times as hot as wanted is divided. */
  private static final double HOT = 2;

  /** Weight of a slice in comparison to the next one. */
  private static final double MEMORY = 0.7;

  /** A key with the load that it stands for. */
  record Weighed(Bytes key, double weight) {}

  /** Ranges with their loads, of which older ones count less; without any at first. */
  record Measured(KeyRanges ranges, double[] heat) {}

  private Bounds() {}

  /**
   * Divides keys among ranges.
   *
   * @param keys in any order
   * @param count the number of ranges to make, approximately
   * @return the first key of each range, ascending, beginning with the empty one; at most twice as
   *     many as wanted, and at most {@link KeyRanges#MAX}
   */
  static List<Bytes> of(List<Weighed> keys, int count) {
    TreeMap<Bytes, Double> sorted = new TreeMap<>();
    keys.forEach(one -> sorted.merge(one.key, one.weight, Double::sum));
    double share =
        sorted.values().stream().mapToDouble(Double::doubleValue).sum() / Math.max(1, count);
    List<Bytes> bounds = new ArrayList<>();
    bounds.add(Bytes.EMPTY);
    double since = 0;
    boolean first = true;
    for (var key : sorted.entrySet()) {
      boolean hot = key.getValue() >= share;
      if (bounds.size() < KeyRanges.MAX - 1
          && !key.getKey().isEmpty()
          && (first || hot || since + key.getValue() / 2 > share)) {
        add(bounds, key.getKey());
        since = 0;
      }
      first = false;
      since += key.getValue();
      if (hot && bounds.size() < KeyRanges.MAX - 1) {
        add(bounds, key.getKey().successor());
        since = 0;
      }
    }
    return bounds;
  }

  private static void add(List<Bytes> bounds, Bytes bound) {
    if (bounds.getLast().compareTo(bound) < 0) {
      bounds.add(bound);
    }
  }

  /**
   * Returns the ranges for the next slice: hot ones are divided where samples of them lie, and cold
   * neighbours become one where there would be too many.
   *
   * @param before the ranges of the slice, with the heat up to it
   * @param loads of the slice, by range
   */
  static Measured next(Measured before, List<Load> loads, List<KeySample.Key> samples) {
    KeyRanges ranges = before.ranges();
    double total = 0;
    double[] heat = new double[ranges.size()];
    for (int i = 0; i < heat.length; i++) {
      double earlier = i < before.heat().length ? before.heat()[i] : 0;
      heat[i] = MEMORY * earlier + loads.get(i).operations();
      total += heat[i];
    }
    if (total < TELLING) {
      return new Measured(ranges, heat);
    }
    List<Weighed> divided = divided(ranges, heat, samples, total / WANTED);
    List<Weighed> merged = merged(divided, total / WANTED);
    return merged.size() == ranges.size() && divided.size() == ranges.size()
        ? new Measured(ranges, heat)
        : new Measured(
            new KeyRanges(merged.stream().map(Weighed::key).toList()),
            merged.stream().mapToDouble(Weighed::weight).toArray());
  }

  /** Returns all ranges, by their first keys with their heats, after the hot ones are divided. */
  private static List<Weighed> divided(
      KeyRanges ranges, double[] heat, List<KeySample.Key> samples, double share) {
    List<List<Weighed>> within = new ArrayList<>();
    for (int i = 0; i < heat.length; i++) {
      within.add(new ArrayList<>());
    }
    for (KeySample.Key sample : samples) {
      int range = ranges.find(sample.row(), 0, sample.row().length);
      within.get(range).add(new Weighed(Bytes.of(sample.row()), sample.weight()));
    }
    List<Weighed> divided = new ArrayList<>();
    for (int i = 0; i < heat.length; i++) {
      List<Bytes> bounds = new ArrayList<>(List.of(ranges.from(i)));
      if (heat[i] > HOT * share) {
        for (Bytes bound : of(within.get(i), (int) Math.min(WANTED, heat[i] / share))) {
          if (ranges.find(bound.toArray(), 0, bound.length()) == i) {
            add(bounds, bound);
          }
        }
      }
      for (Bytes bound : bounds) {
        divided.add(new Weighed(bound, heat[i] / bounds.size()));
      }
    }
    return divided;
  }

  /** Joins the coldest pairs of neighbours, as long as there are too many ranges. */
  private static List<Weighed> merged(List<Weighed> ranges, double share) {
    List<Weighed> merged = ranges;
    for (double least = share / 64; merged.size() > KeyRanges.MAX; least *= 2) {
      List<Weighed> joined = new ArrayList<>();
      int tooMany = merged.size() - KeyRanges.MAX;
      for (Weighed range : merged) {
        Weighed last = joined.isEmpty() ? null : joined.getLast();
        if (last != null && tooMany > 0 && last.weight + range.weight < least) {
          joined.set(joined.size() - 1, new Weighed(last.key, last.weight + range.weight));
          tooMany--;
        } else {
          joined.add(range);
        }
      }
      merged = joined;
    }
    return merged;
  }
}
