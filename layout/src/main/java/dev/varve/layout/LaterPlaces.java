package dev.varve.layout;

import dev.varve.model.SampleGroup;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Orders samples of a group that share an instant, for layouts with cell times in milliseconds.
 *
 * <p>If two samples of an instant are two cells, only the cell time tells which was accepted last.
 * Stamps within a group are less than a millisecond apart, so each sample is dated one millisecond
 * before its successor at the same instant. The last one, which counts, keeps its own time and thus
 * does not outrank anything written after the group.
 */
public final class LaterPlaces {
  private LaterPlaces() {}

  /**
   * Returns, for each slot of a group, the number of later slots with the same instant, which is
   * how many milliseconds its cell time is moved back; null if all instants differ.
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
