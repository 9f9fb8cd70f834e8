package dev.varve.engine.read;

import dev.varve.engine.config.DatasetConfig.Duplicates;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.Kind;
import dev.varve.model.Samples;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Chooses among the samples accepted for the same series and instant, and sorts samples by time.
 */
final class VersionRule {
  /** Receives the chosen samples, in the order of time, then of acceptance. */
  interface Output {
    void add(Samples from, int index);
  }

  private final boolean all;
  private final long lastStamp;
  private final Duplicates duplicates;

  VersionRule(Versions versions, Duplicates duplicates) {
    this.all = versions instanceof Versions.All;
    this.lastStamp = versions instanceof Versions.AsOf(long stamp) ? stamp : Long.MAX_VALUE;
    this.duplicates = duplicates;
  }

  /** Returns whether the choice needs more than the last version up to some stamp. */
  boolean needsAll() {
    return all || duplicates != Duplicates.LAST;
  }

  /**
   * Returns whether samples can be delivered unchanged: their times are strictly ascending, and no
   * stamp limits the versions.
   */
  boolean passes(Samples samples) {
    long[] times = samples.times();
    for (int i = 1; i < samples.size(); i++) {
      if (times[i] <= times[i - 1]) {
        return false;
      }
    }
    return lastStamp == Long.MAX_VALUE;
  }

  /**
   * Chooses among samples of one series.
   *
   * @param vectors samples of different kinds, each vector in any order. If two samples have the
   *     same time and stamp, the one later in the order of kinds (string, int64, double), then of
   *     places, counts as accepted later
   */
  void choose(List<Samples> vectors, Output output) {
    Merge merge = new Merge(vectors);
    int start = 0;
    while (start < merge.size) {
      int end = start + 1;
      while (end < merge.size && merge.time(end) == merge.time(start)) {
        end++;
      }
      if (all) {
        for (int i = start; i < end; i++) {
          merge.give(i, output);
        }
      } else {
        merge.give(chosen(merge, start, end), output);
      }
      start = end;
    }
  }

  private int chosen(Merge merge, int start, int end) {
    int best = duplicates == Duplicates.FIRST ? start : end - 1;
    if (duplicates == Duplicates.MAX || duplicates == Duplicates.MIN) {
      for (int i = end - 2; i >= start; i--) {
        if (merge.isNumber(i) && merge.isNumber(best)) {
          int order = Double.compare(merge.number(i), merge.number(best));
          best = (duplicates == Duplicates.MAX ? order > 0 : order < 0) ? i : best;
        }
      }
    }
    return best;
  }

  /** The samples of several vectors, sorted by time, then stamp, then kind, then place. */
  private final class Merge {
    private final Samples[] vectors;

    /** The base of each vector. The number of a sample is the base of its vector plus its place. */
    private final int[] bases;

    /** Sorted numbers of samples. */
    private int[] order;

    private int size;

    private Merge(List<Samples> given) {
      this.vectors = given.toArray(Samples[]::new);
      Arrays.sort(vectors, Comparator.comparingInt(vector -> rank(vector.kind())));
      this.bases = new int[vectors.length + 1];
      for (int v = 0; v < vectors.length; v++) {
        bases[v + 1] = bases[v] + vectors[v].size();
      }
      this.order = new int[bases[vectors.length]];
      for (int number = 0; number < order.length; number++) {
        if (stamp(number) <= lastStamp) {
          order[size++] = number;
        }
      }
      sort(new int[size], 0, size);
    }

    /** A merge sort that skips merging halves already in order, which is the common case. */
    private void sort(int[] spare, int from, int to) {
      if (to - from < 2) {
        return;
      }
      int middle = (from + to) >>> 1;
      sort(spare, from, middle);
      sort(spare, middle, to);
      if (!isAfter(order[middle - 1], order[middle])) {
        return;
      }
      System.arraycopy(order, from, spare, from, middle - from);
      int left = from;
      int right = middle;
      for (int at = from; left < middle; at++) {
        boolean takeLeft = right == to || !isAfter(spare[left], order[right]);
        order[at] = takeLeft ? spare[left++] : order[right++];
      }
    }

    private boolean isAfter(int a, int b) {
      long timeA = vectors[vector(a)].time(place(a));
      long timeB = vectors[vector(b)].time(place(b));
      if (timeA != timeB) {
        return timeA > timeB;
      }
      long stampA = stamp(a);
      long stampB = stamp(b);
      return stampA != stampB ? stampA > stampB : a > b;
    }

    private long time(int index) {
      return vectors[vector(order[index])].time(place(order[index]));
    }

    private long stamp(int number) {
      return vectors[vector(number)].stamp(place(number));
    }

    private boolean isNumber(int index) {
      return vectors[vector(order[index])].kind() != Kind.STRING;
    }

    private double number(int index) {
      return vectors[vector(order[index])].number(place(order[index]));
    }

    private void give(int index, Output output) {
      output.add(vectors[vector(order[index])], place(order[index]));
    }

    private int vector(int number) {
      int vector = 0;
      while (number >= bases[vector + 1]) {
        vector++;
      }
      return vector;
    }

    private int place(int number) {
      return number - bases[vector(number)];
    }
  }

  private static int rank(Kind kind) {
    return switch (kind) {
      case STRING -> 0;
      case INT64 -> 1;
      case DOUBLE -> 2;
    };
  }
}
