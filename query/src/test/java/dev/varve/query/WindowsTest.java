package dev.varve.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.Resolution;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class WindowsTest {
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

  private static long millis(String instant) {
    return Instant.parse(instant).toEpochMilli();
  }

  @Property
  void fixedWindowsHoldTheirTimesAndFollowEachOther(
      @ForAll long time,
      @ForAll @LongRange(min = 1, max = 1L << 40) long width,
      @ForAll @LongRange(min = -(1L << 50), max = 1L << 50) long origin) {
    Windows windows = new Windows.Fixed(width, origin);
    long start = windows.startOf(time);
    long end = windows.endOf(start);
    assertThat(start).isLessThanOrEqualTo(time);
    assertThat(time < end || end == Long.MAX_VALUE).isTrue();
    if (start > Long.MIN_VALUE) {
      assertThat(Math.floorMod(start, width)).isEqualTo(Math.floorMod(origin, width));
    }
    if (start > Long.MIN_VALUE && end < Long.MAX_VALUE) {
      assertThat(end - start).isEqualTo(width);
      assertThat(windows.startOf(end)).isEqualTo(end);
    }
  }

  @Property(tries = 300)
  void calendarWindowsHoldTheirTimesAndFollowEachOther(
      @ForAll @LongRange(min = -60_000_000_000L, max = 4_000_000_000L) long second,
      @ForAll @IntRange(min = 1, max = 40) int count,
      @ForAll @IntRange(min = 0, max = 3) int which,
      @ForAll @LongRange(min = 0, max = 2_000_000_000L) long origin) {
    ChronoUnit unit =
        new ChronoUnit[] {ChronoUnit.DAYS, ChronoUnit.WEEKS, ChronoUnit.MONTHS, ChronoUnit.YEARS}
            [which];
    Windows windows =
        new Windows.Calendar(count, unit, BERLIN, origin * 1000, Resolution.MILLISECONDS);
    long time = second * 1000 + 1;
    long start = windows.startOf(time);
    long end = windows.endOf(start);
    assertThat(start).isLessThanOrEqualTo(time);
    assertThat(end).isGreaterThan(time);
    assertThat(windows.startOf(end)).isEqualTo(end);
    assertThat(windows.startOf(end - 1)).isEqualTo(start);
    ZonedDateTime first = Instant.ofEpochSecond(origin).atZone(BERLIN);
    long steps =
        Math.round(
            unit.between(first, Instant.ofEpochMilli(start).atZone(BERLIN)) / (double) count);
    assertThat(
            LongStream.rangeClosed(steps - 1, steps + 1)
                .map(k -> first.plus(k * count, unit).toInstant().toEpochMilli()))
        .contains(start);
  }

  @Test
  void daysFollowTheClockAndHoursDoNot() {
    Windows days = Windows.parse("1d", BERLIN, Resolution.MILLISECONDS);
    long start = days.startOf(millis("2024-03-31T10:00:00Z"));
    assertThat(start).isEqualTo(millis("2024-03-30T23:00:00Z"));
    assertThat(days.endOf(start) - start).isEqualTo(23 * 3_600_000L);
    Windows hours = Windows.parse("6h", BERLIN, Resolution.MILLISECONDS);
    long six = hours.startOf(millis("2024-03-31T10:00:00Z"));
    assertThat(six).isEqualTo(millis("2024-03-31T06:00:00Z"));
    assertThat(hours.endOf(six) - six).isEqualTo(6 * 3_600_000L);
  }

  @Test
  void monthsFromTheThirtyFirstEndOnTheLastDay() {
    Windows months =
        new Windows.Calendar(
            1,
            ChronoUnit.MONTHS,
            ZoneOffset.UTC,
            millis("2024-01-31T00:00:00Z"),
            Resolution.MILLISECONDS);
    long february = months.startOf(millis("2024-03-01T00:00:00Z"));
    assertThat(february).isEqualTo(millis("2024-02-29T00:00:00Z"));
    assertThat(months.endOf(february)).isEqualTo(millis("2024-03-31T00:00:00Z"));
  }

  @Test
  void weeksBeginOnMonday() {
    Windows weeks = Windows.parse("1w", ZoneOffset.UTC, Resolution.SECONDS);
    assertThat(weeks.startOf(millis("2024-03-31T10:00:00Z") / 1000))
        .isEqualTo(millis("2024-03-25T00:00:00Z") / 1000);
  }

  @Test
  void saysWhatAWidthLooksLike() {
    for (String text : new String[] {"", "h", "1", "1x", "0s", "-1s", "1M", "9999999999s"}) {
      assertThatThrownBy(() -> Windows.parse(text, ZoneOffset.UTC, Resolution.MILLISECONDS))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'" + text + "' is not a window width");
    }
    assertThatThrownBy(() -> Windows.parse("1500ms", ZoneOffset.UTC, Resolution.SECONDS))
        .hasMessageContaining("not a whole number of s");
    for (String text : new String[] {"999999999h", "999999999w"}) {
      assertThatThrownBy(() -> Windows.parse(text, ZoneOffset.UTC, Resolution.NANOSECONDS))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("wider than 64 bits of ns can represent");
    }
  }

  @Test
  void windowsThatNoCalendarHoldsEndWithTime() {
    for (String text : new String[] {"999999999y", "999999999mo"}) {
      Windows wide = Windows.parse(text, ZoneOffset.UTC, Resolution.MILLISECONDS);
      assertThat(wide.startOf(1)).as(text).isZero();
      assertThat(wide.endOf(0)).as(text).isGreaterThan(millis("+292278000-01-01T00:00:00Z") / 4);
      assertThat(wide.startOf(-1)).as(text).isNegative();
      assertThat(wide.endOf(wide.startOf(-1))).as(text).isZero();
    }
    Windows wide = Windows.parse("400y", BERLIN, Resolution.NANOSECONDS);
    assertThat(wide.endOf(wide.startOf(0))).isEqualTo(Long.MAX_VALUE);
    Span span = new Span(Integer.MAX_VALUE, ChronoUnit.YEARS, BERLIN, Resolution.MILLISECONDS);
    assertThat(span.millisFrom(0)).isEqualTo(Integer.MAX_VALUE * 31_556_952_000.0);
  }

  /** Its end cannot be represented, and no window follows it. */
  @Test
  void theLastCalendarWindowEndsWithTime() {
    Windows days = Windows.parse("1d", BERLIN, Resolution.NANOSECONDS);
    long last = days.startOf(Long.MAX_VALUE - 1);
    assertThat(days.endOf(last)).isEqualTo(Long.MAX_VALUE);
    assertThat(days.endOf(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    assertThat(days.startOf(Long.MAX_VALUE)).isEqualTo(last);
    assertThat(days.endOf(days.startOf(Long.MIN_VALUE))).isGreaterThan(Long.MIN_VALUE);
  }
}
