package dev.varve.server.kairosdb;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.model.Resolution;
import dev.varve.query.Windows;
import dev.varve.server.kairosdb.Properties.Length;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/**
 * Adjacent windows of a roll-up that one query computes. The same instant always lies in the same
 * window, whenever the roll-up runs: windows of up to a day start anew at local midnight, longer
 * ones are counted from 1970.
 *
 * @param from start of the first window, in ms since 1970
 * @param end end of the last window, exclusive
 * @param origin a time in the first window of the grid
 */
record RollupStretch(long from, long end, long origin) {
  private static final long DAY = ChronoUnit.DAYS.getDuration().toMillis();

  /** On 2 or 3 January 1970 in every zone, and so in the first month and year of that time. */
  private static final long EPOCH = 2 * DAY;

  /** Longer windows of one query. */
  private static final int WINDOWS = 31;

  /** Maximum number of queries of one execution, about 27 years of days. */
  private static final int STRETCHES_MAX = 10_000;

  /**
   * Returns the stretches from the window of one instant to that of another.
   *
   * @throws QueryRefusedException if there are too many
   */
  static List<RollupStretch> between(long first, long last, Length sampling, ZoneId zone) {
    if (last < first) {
      return List.of();
    }
    return fitsIntoADay(sampling)
        ? byDays(first, last, millis(sampling), zone)
        : byWindows(first, last, sampling, zone);
  }

  private static boolean fitsIntoADay(Length sampling) {
    return sampling.unit().unit().compareTo(ChronoUnit.HOURS) <= 0 && millis(sampling) <= DAY;
  }

  private static long millis(Length sampling) {
    return sampling.unit().unit().getDuration().toMillis() * sampling.countable();
  }

  private static List<RollupStretch> byDays(long first, long last, long width, ZoneId zone) {
    List<RollupStretch> days = new ArrayList<>();
    LocalDate day = Instant.ofEpochMilli(first).atZone(zone).toLocalDate();
    for (long midnight = midnight(day, zone); midnight <= last; midnight = midnight(day, zone)) {
      requireRoom(days);
      day = day.plusDays(1);
      long next = midnight(day, zone);
      long from = windowOf(Math.max(first, midnight), midnight, width);
      long end = windowOf(Math.min(last, next - 1), midnight, width) + width;
      days.add(new RollupStretch(from, Math.min(end, next), midnight));
    }
    return days;
  }

  private static long midnight(LocalDate day, ZoneId zone) {
    return day.atStartOfDay(zone).toInstant().toEpochMilli();
  }

  private static long windowOf(long time, long midnight, long width) {
    return midnight + Math.floorDiv(time - midnight, width) * width;
  }

  private static List<RollupStretch> byWindows(
      long first, long last, Length sampling, ZoneId zone) {
    Windows grid =
        new Windows.Calendar(
            sampling.countable(),
            sampling.unit().unit(),
            zone,
            Aggregators.aligned(EPOCH, sampling.unit(), zone),
            Resolution.MILLISECONDS);
    List<RollupStretch> stretches = new ArrayList<>();
    for (long from = grid.startOf(first); from <= last; ) {
      requireRoom(stretches);
      long end = from;
      for (int i = 0; i < WINDOWS && end <= last; i++) {
        end = grid.endOf(end);
      }
      stretches.add(new RollupStretch(from, end, EPOCH));
      from = end;
    }
    return stretches;
  }

  private static void requireRoom(List<RollupStretch> stretches) {
    if (stretches.size() == STRETCHES_MAX) {
      throw new QueryRefusedException(
          "a roll-up computes at most %,d days, or %,d groups of %d longer windows, at once: use a shorter range"
              .formatted(STRETCHES_MAX, STRETCHES_MAX, WINDOWS));
    }
  }
}
