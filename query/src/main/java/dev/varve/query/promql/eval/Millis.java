package dev.varve.query.promql.eval;

import dev.varve.model.Recurring;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import org.jspecify.annotations.Nullable;

/** Converts between times of PromQL, which are milliseconds since 1970, and those of a dataset. */
public final class Millis {
  private Millis() {}

  /**
   * Returns the times of a dataset that fall into, or start, a range of milliseconds.
   *
   * @param from the first millisecond
   * @param to the last millisecond
   */
  public static TimeRange range(long from, long to, Resolution resolution) {
    long perSecond = resolution.perSecond();
    if (perSecond < 1000) {
      long millis = 1000 / perSecond;
      return new TimeRange(Math.ceilDiv(from, millis), Math.floorDiv(to, millis) + 1);
    }
    long perMilli = perSecond / 1000;
    return new TimeRange(
        times(from, perMilli), times(to == Long.MAX_VALUE ? to : to + 1, perMilli));
  }

  /**
   * Converts stretches in milliseconds to stretches in dataset times that cover them; null if they
   * cannot be expressed or leave no gaps.
   */
  static @Nullable Recurring recurring(Recurring millis, Resolution resolution) {
    long perSecond = resolution.perSecond();
    if (perSecond < 1000) {
      long each = 1000 / perSecond;
      long width = millis.width() / each + 2;
      return millis.step() % each != 0 || width >= millis.step() / each
          ? null
          : new Recurring(Math.floorDiv(millis.first(), each), millis.step() / each, width);
    }
    long perMilli = perSecond / 1000;
    long most = Long.MAX_VALUE / perMilli;
    return Math.abs(millis.first()) > most || millis.step() > most
        ? null
        : new Recurring(
            millis.first() * perMilli, millis.step() * perMilli, millis.width() * perMilli);
  }

  /** Multiplies within the range of 64 bits. */
  private static long times(long millis, long perMilli) {
    long most = Long.MAX_VALUE / perMilli;
    return Math.clamp(millis, -most, most) * perMilli;
  }

  /** Returns the millisecond of a dataset time. */
  public static long of(long time, Resolution resolution) {
    long perSecond = resolution.perSecond();
    return perSecond < 1000
        ? Math.clamp(time, Long.MIN_VALUE / 1000, Long.MAX_VALUE / 1000) * (1000 / perSecond)
        : Math.floorDiv(time, perSecond / 1000);
  }
}
