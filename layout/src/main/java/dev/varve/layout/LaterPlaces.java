package dev.varve.layout;

import dev.varve.model.SampleGroup;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Orders the samples of one instant in a group, for layouts whose cell times are milliseconds.
 *
 * <p>Where two samples of an instant are two cells, only the cell time tells which was accepted
 * last. The stamps of a group are closer than milliseconds; so each sample is put one millisecond
 * before the next of its instant. The last, which is the one that counts, keeps its own, and so
 * does not outrank what is written after the group.
 */
public final class LaterPlaces {
  private LaterPlaces() {}

  /**
   * For each place of a group how many later ones are of its instant, which is how many
   * milliseconds its cell time goes back; null where none are.
   */
  public static int @Nullable [] of(SampleGroup group) {
    long[] times = group.times();
    if (isStrictlyMonotonic(times, group.size())) {
      return null;
    }
    long[] sorted = Arrays.copyOf(times, group.size());
    Arrays.sort(sorted);
    if (isStrictlyMonotonic(sorted, sorted.length)) {
      return null;
    }
    int[] later = new int[group.size()];
    Map<Long, Integer> seen = new HashMap<>();
    for (int place = later.length - 1; place >= 0; place--) {
      later[place] = seen.merge(times[place], 1, Integer::sum) - 1;
    }
    return later;
  }

  private static boolean isStrictlyMonotonic(long[] times, int size) {
    int rises = 0;
    int falls = 0;
    for (int i = 1; i < size; i++) {
      rises += times[i] > times[i - 1] ? 1 : 0;
      falls += times[i] < times[i - 1] ? 1 : 0;
    }
    return rises >= size - 1 || falls >= size - 1;
  }
}
