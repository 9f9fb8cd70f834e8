package dev.varve.server.opentsdb.annotation;

import dev.varve.engine.ReadGuard;
import java.util.Comparator;
import java.util.List;

/** Finds the annotations of all series. */
final class GlobalNotes {
  private static final long HOUR = 3600;

  private GlobalNotes() {}

  /**
   * Returns the annotations that start and end in a range, by their start.
   *
   * @param start in seconds since 1970; as in OpenTSDB, times in milliseconds are all later
   * @param end in seconds since 1970
   */
  static List<Annotation> of(AnnotationStore store, long start, long end, ReadGuard guard) {
    // OpenTSDB looks through the hours of the range.
    long from = 1000 * (start - start % HOUR);
    long to = 1000 * (end - end % HOUR + HOUR) - 1;
    return store.between("", from, to, guard).stream()
        .filter(one -> one.startTime() >= start && one.endTime() <= end)
        .sorted(Comparator.comparingLong(Annotation::startTime))
        .toList();
  }
}
