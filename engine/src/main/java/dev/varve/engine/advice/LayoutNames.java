package dev.varve.engine.advice;

import dev.varve.engine.periods.OpenDataset;
import java.util.HashSet;
import java.util.Set;

/**
 * Names for new layouts of a dataset, which none of its layouts has.
 *
 * @param first for the primary
 * @param second for a companion
 */
record LayoutNames(String first, String second) {
  static LayoutNames of(OpenDataset dataset, String base) {
    Set<String> used = new HashSet<>();
    dataset.layouts().forEach(one -> used.add(one.name()));
    String stem = base.replaceFirst("-\\d+$", "");
    String first = free(stem, used);
    used.add(first);
    return new LayoutNames(first, free(stem, used));
  }

  private static String free(String stem, Set<String> used) {
    int number = 2;
    while (used.contains(stem + "-" + number)) {
      number++;
    }
    return stem + "-" + number;
  }
}
