package dev.varve.layout.declared;

import dev.varve.layout.declared.BucketWidth.CalendarUnit;
import dev.varve.model.Resolution;

/** Divides time into buckets, in ticks of a resolution, without allocating. */
sealed interface Bucketing {
  /**
   * Returns the start of the bucket that contains {@code time}, which must be at least {@link
   * #first()}.
   */
  long floor(long time);

  /** Returns the start of the bucket after the one that starts at {@code start}, saturating. */
  long next(long start);

  /** Returns the start of the first bucket that fits entirely into 64 bits. */
  long first();

  /** Returns the number of ticks of the longest bucket. */
  long ticksMax();

  static Bucketing of(BucketWidth width, Resolution resolution) {
    return switch (width) {
      case BucketWidth.Fixed fixed -> new Fixed(Ticks.exact(fixed.length(), resolution));
      case BucketWidth.Calendar calendar ->
          new Calendar(calendar.unit(), 86_400 * resolution.perSecond());
    };
  }

  record Fixed(long ticks) implements Bucketing {
    @Override
    public long floor(long time) {
      return Math.floorDiv(time, ticks) * ticks;
    }

    @Override
    public long next(long start) {
      long next = start + ticks;
      return next < start ? Long.MAX_VALUE : next;
    }

    @Override
    public long first() {
      return Long.MIN_VALUE / ticks * ticks;
    }

    @Override
    public long ticksMax() {
      return ticks;
    }
  }

  /** Days, weeks, months and years of the proleptic Gregorian calendar in UTC. */
  record Calendar(CalendarUnit unit, long ticksPerDay) implements Bucketing {
    @Override
    public long floor(long time) {
      return CivilDate.floor(Math.floorDiv(time, ticksPerDay), unit) * ticksPerDay;
    }

    @Override
    public long next(long start) {
      long day = CivilDate.next(Math.floorDiv(start, ticksPerDay), unit);
      return day > Long.MAX_VALUE / ticksPerDay ? Long.MAX_VALUE : day * ticksPerDay;
    }

    @Override
    public long first() {
      long day = Long.MIN_VALUE / ticksPerDay;
      long start = CivilDate.floor(day, unit);
      return (start < day ? CivilDate.next(start, unit) : start) * ticksPerDay;
    }

    @Override
    public long ticksMax() {
      return CivilDate.daysMax(unit) * ticksPerDay;
    }
  }
}
