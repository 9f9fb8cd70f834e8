package dev.varve.server.opentsdb.annotation;

import dev.varve.engine.request.ReadGuard;
import java.util.Comparator;
import java.util.List;

/** Finds the annotations of all series. */
final class GlobalNotes {
  private static final long HOUR = 3600;

  private GlobalNotes() {}

  /** Returns where an annotation is among those of OpenTSDB's rows. */
  private static String place(Annotation one) {
    long millis = one.startMillis();
    long offset = millis % (1000 * HOUR);
    return "%016x".formatted(millis - offset)
        + (millis % 1000 == 0 ? "%04x".formatted(offset / 1000) : "%08x".formatted(offset));
  }

  /**
   * Returns the annotations that start and end in a range, in the order of OpenTSDB's rows.
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
        .sorted(Comparator.comparing(GlobalNotes::place))
        .toList();
  }
}
