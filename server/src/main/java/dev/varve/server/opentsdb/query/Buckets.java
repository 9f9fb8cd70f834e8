package dev.varve.server.opentsdb.query;

import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.Locale;
import java.util.TimeZone;

/** Divides time into the buckets of a downsampling. Times are milliseconds since 1970. */
sealed interface Buckets {
  /** Maximum width in milliseconds, more than 30,000 years. */
  long WIDTH_MAX = 1L << 50;

  /** Returns the start of the bucket that contains a time. */
  long floor(long time);

  /** Returns the start of the bucket after the one that starts at a time. */
  long after(long start);

  /** Returns the start of the first bucket that starts at a time or later. */
  default long ceiling(long time) {
    long floor = floor(time);
    return floor == time ? time : after(floor);
  }

  /** Returns the start of the bucket of a time, given an earlier bucket. */
  default long advance(long start, long time) {
    return floor(time);
  }

  static Buckets of(Downsampling spec, TimeZone zone) {
    return spec.calendar()
        ? OfCalendar.of(spec.width(), zone)
        : new Even(Math.min(spec.interval(), WIDTH_MAX));
  }

  /** Buckets of equal width, aligned to 1970. */
  record Even(long width) implements Buckets {
    @Override
    public long floor(long time) {
      return time - time % width;
    }

    @Override
    public long after(long start) {
      return start + width;
    }
  }

  /**
   * Buckets of a calendar. They are counted from the start of the next larger unit, or of the one
   * after it where the count does not divide the unit, as in OpenTSDB. Weeks begin on Sunday.
   *
   * @param unit a field of {@link Calendar}; {@link Calendar#DAY_OF_WEEK} for weeks
   */
  record OfCalendar(int count, int unit, TimeZone zone) implements Buckets {
    private static final int[] SMALL = {
      Calendar.MILLISECOND, Calendar.SECOND, Calendar.MINUTE, Calendar.HOUR_OF_DAY
    };

    static OfCalendar of(String width, TimeZone zone) {
      int digits = 0;
      while (Character.isDigit(width.charAt(digits))) {
        digits++;
      }
      int unit =
          switch (width.substring(digits).toLowerCase(Locale.ROOT)) {
            case "ms" -> Calendar.MILLISECOND;
            case "s" -> Calendar.SECOND;
            case "m" -> Calendar.MINUTE;
            case "h" -> Calendar.HOUR_OF_DAY;
            case "d" -> Calendar.DAY_OF_MONTH;
            case "w" -> Calendar.DAY_OF_WEEK;
            case "n" -> Calendar.MONTH;
            case "y" -> Calendar.YEAR;
            default ->
                throw new IllegalArgumentException(
                    "Unrecognized unit type: " + width.substring(digits));
          };
      return new OfCalendar(Integer.parseInt(width.substring(0, digits)), unit, zone);
    }

    @Override
    public long floor(long time) {
      Calendar at = at(time);
      toAnchor(at);
      if (at.getTimeInMillis() == time) {
        return time;
      }
      long width = width();
      if (width > 0) {
        return time - Math.floorMod(time - at.getTimeInMillis(), width);
      }
      boolean weeks = unit == Calendar.DAY_OF_WEEK;
      int field = weeks ? Calendar.DAY_OF_MONTH : unit;
      int step = weeks ? 7 : count;
      while (at.getTimeInMillis() <= time) {
        at.add(field, step);
      }
      at.add(field, -step);
      return at.getTimeInMillis();
    }

    /** Returns the width of buckets of hours or less, in milliseconds; 0 for wider ones. */
    private long width() {
      return switch (unit) {
        case Calendar.MILLISECOND -> count;
        case Calendar.SECOND -> 1000L * count;
        case Calendar.MINUTE -> 60_000L * count;
        case Calendar.HOUR_OF_DAY -> 3_600_000L * count;
        default -> 0;
      };
    }

    /** Sets a calendar to the time from which buckets are counted. */
    private void toAnchor(Calendar at) {
      switch (unit) {
        case Calendar.MILLISECOND -> clear(at, 1000 % count == 0 ? 1 : 2);
        case Calendar.SECOND -> clear(at, 60 % count == 0 ? 2 : 3);
        case Calendar.MINUTE -> clear(at, 60 % count == 0 ? 3 : 4);
        case Calendar.HOUR_OF_DAY -> {
          clear(at, 4);
          if (24 % count != 0) {
            at.set(Calendar.DAY_OF_MONTH, 1);
          }
        }
        case Calendar.DAY_OF_WEEK -> {
          clear(at, 4);
          if (2 % count != 0) {
            at.set(Calendar.MONTH, 0);
          }
          at.set(Calendar.DAY_OF_WEEK, at.getFirstDayOfWeek());
        }
        case Calendar.DAY_OF_MONTH -> {
          clear(at, 4);
          at.set(Calendar.DAY_OF_MONTH, 1);
          if (count != 1) {
            at.set(Calendar.MONTH, 0);
          }
        }
        default -> {
          clear(at, 4);
          at.set(Calendar.DAY_OF_MONTH, 1);
          at.set(Calendar.MONTH, 0);
        }
      }
    }

    private static void clear(Calendar at, int fields) {
      for (int i = 0; i < fields; i++) {
        at.set(SMALL[i], 0);
      }
    }

    @Override
    public long after(long start) {
      if (width() > 0) {
        return start + width();
      }
      Calendar at = at(start);
      if (unit == Calendar.DAY_OF_WEEK) {
        at.add(Calendar.DAY_OF_MONTH, 7 * count);
      } else {
        at.add(unit, count);
      }
      return at.getTimeInMillis();
    }

    /**
     * Counts on from an earlier bucket, which need not be where {@link #floor} would count from.
     */
    @Override
    public long advance(long start, long time) {
      if (width() > 0) {
        return time - (time - start) % width();
      }
      long from = start;
      for (long next = after(from); next <= time; next = after(from)) {
        from = next;
      }
      return from;
    }

    private Calendar at(long time) {
      Calendar at = new GregorianCalendar(zone, Locale.US);
      at.setTimeInMillis(time);
      return at;
    }
  }
}
