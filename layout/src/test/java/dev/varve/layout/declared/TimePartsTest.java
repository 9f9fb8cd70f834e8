package dev.varve.layout.declared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.Binding;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;
import dev.varve.layout.declared.BucketWidth.CalendarUnit;
import dev.varve.layout.declared.KeyElement.Label;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Tags;
import java.nio.charset.StandardCharsets;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.time.temporal.IsoFields;
import java.time.temporal.TemporalAdjusters;
import java.util.Locale;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimePartsTest {
  private static final Binding BINDING = new Binding.Plain(GroupKey.of("m", Tags.EMPTY));

  @Property
  void bucketsTileTimeWithoutGapOrOverlap(
      @ForAll("parts") KeyPart.Time part, @ForAll("times") long time) {
    long start = part.floor(time);
    assertThat(start).isLessThanOrEqualTo(time);
    assertThat(part.floor(start)).isEqualTo(start);
    long next = part.next(start);
    if (next != Long.MAX_VALUE) {
      assertThat(next).isGreaterThan(time);
      assertThat(part.floor(next)).isEqualTo(next);
      assertThat(part.floor(next - 1)).isEqualTo(start);
    }
  }

  @Property
  void bytesSortAsTimesDo(
      @ForAll("parts") KeyPart.Time part, @ForAll("times") long a, @ForAll("times") long b) {
    int order = Long.compare(part.floor(a), part.floor(b));
    assertThat(Integer.signum(bytes(part, a).compareTo(bytes(part, b))))
        .isEqualTo(part.descending() ? -order : order);
  }

  @Property
  void theStartIsReadBack(@ForAll("parts") KeyPart.Time part, @ForAll("times") long time) {
    byte[] row = bytes(part, time).toArray();
    assertThat(part.timeAt(row, 0, row.length)).isEqualTo(part.floor(time));
    KeyOutput out = new KeyOutput();
    assertThat(part.decode(row, 0, row.length, out)).isEqualTo(row.length);
    assertThat(out.time()).isEqualTo(part.floor(time));
    for (int cut = 0; cut < row.length; cut++) {
      int to = cut;
      assertThatThrownBy(() -> part.skip(row, 0, to)).isInstanceOf(DamagedCellException.class);
    }
  }

  @Property
  void theCalendarAgreesWithJava(@ForAll @LongRange(min = -800_000, max = 3_000_000) long day) {
    LocalDate date = LocalDate.ofEpochDay(day);
    assertThat(CivilDate.year(day)).isEqualTo(date.getYear());
    assertThat(CivilDate.month(day)).isEqualTo(date.getMonthValue());
    assertThat(CivilDate.dayOfMonth(day)).isEqualTo(date.getDayOfMonth());
    assertThat(CivilDate.of(date.getYear(), date.getMonthValue(), date.getDayOfMonth()))
        .isEqualTo(day);
    LocalDate monday = date.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
    assertThat(CivilDate.floor(day, CalendarUnit.WEEK)).isEqualTo(monday.toEpochDay());
    assertThat(CivilDate.weekYear(monday.toEpochDay()))
        .isEqualTo(date.get(IsoFields.WEEK_BASED_YEAR));
    assertThat(CivilDate.weekOfYear(monday.toEpochDay()))
        .isEqualTo(date.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR));
    assertThat(CivilDate.floor(day, CalendarUnit.MONTH))
        .isEqualTo(date.withDayOfMonth(1).toEpochDay());
    assertThat(CivilDate.next(date.withDayOfMonth(1).toEpochDay(), CalendarUnit.MONTH))
        .isEqualTo(date.withDayOfMonth(1).plusMonths(1).toEpochDay());
    assertThat(CivilDate.next(date.withDayOfYear(1).toEpochDay(), CalendarUnit.YEAR))
        .isEqualTo(date.withDayOfYear(1).plusYears(1).toEpochDay());
  }

  @ParameterizedTest
  @CsvSource({
    // The year of a week is that of its Thursday.
    "week, 2015-12-31T23:59:59.999, 2015-W53",
    "week, 2016-01-03T23:59:59.999, 2015-W53",
    "week, 2016-01-04T00:00:00, 2016-W01",
    "week, 2018-12-31T00:00:00, 2019-W01",
    "month, 2016-02-29T23:59:59.999, 2016-02",
    "month, 2016-03-01T00:00:00, 2016-03",
    "day, 2016-02-29T12:00:00, 2016-02-29",
    "day, 1969-12-31T23:59:59.999, 1969-12-31",
    "year, 1970-01-01T00:00:00, 1970",
    "year, 0000-01-01T00:00:00, 0000"
  })
  void bucketsAreNamedAsIsoSays(String unit, String time, String name) {
    KeyPart.Time part = named(CalendarUnit.valueOf(unit.toUpperCase(Locale.ROOT)));
    long millis = DateTimeFormatter.ISO_INSTANT.parse(time + "Z", Instant::from).toEpochMilli();
    assertThat(bytes(part, millis).toUtf8()).isEqualTo(name);
    byte[] row = name.getBytes(StandardCharsets.UTF_8);
    assertThat(part.timeAt(row, 0, row.length)).isEqualTo(part.floor(millis));
  }

  @ParameterizedTest
  @CsvSource({
    "week, 2014-W53", "week, 2015-W00", "week, 2015-W54", "week, 2015w10x", "month, 2015-13",
    "month, 2015-00", "month, 2015/01", "day, 2015-02-29", "day, 2015-02-3x", "year, 20x5"
  })
  void malformedNamesAreRefused(String unit, String name) {
    KeyPart.Time part = named(CalendarUnit.valueOf(unit.toUpperCase(Locale.ROOT)));
    byte[] row = name.getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> part.timeAt(row, 0, row.length))
        .isInstanceOf(DamagedCellException.class);
  }

  @Test
  void aStartThatIsNoneIsRefused() {
    KeyPart.Time day = fixed(Duration.ofDays(1), false);
    byte[] row = new KeyBytes().i64(86_400_001L ^ Long.MIN_VALUE).toBytes().toArray();
    assertThatThrownBy(() -> day.skip(row, 0, 8))
        .hasMessage("row key, byte 0: 86400001 is not the start of a bucket 1d");
  }

  @Test
  void theFirstAndLastInstantsThat64BitsHoldHaveABucketOrAreOutsideTheDomain() {
    for (Resolution resolution : Resolution.values()) {
      for (String width : new String[] {"7ns", "1d", "week", "month", "year"}) {
        if (width.equals("7ns") && resolution != Resolution.NANOSECONDS) {
          continue;
        }
        var layout =
            Layouts.of("buckets", Map.of("bucket", width, "resolution", resolution.symbol()));
        KeyPart.Time part = (KeyPart.Time) layout.rows().parts().getLast();
        long first = layout.domain().times().from();
        assertThat(part.floor(first)).isEqualTo(first);
        assertThat(part.floor(Long.MIN_VALUE)).isEqualTo(first);
        long last = layout.domain().times().to() - 1;
        assertThat(part.floor(last)).isLessThanOrEqualTo(last).isPositive();
        assertThat(part.next(part.floor(last))).isGreaterThan(last);
      }
    }
  }

  private static Bytes bytes(KeyPart part, long time) {
    KeyBytes out = new KeyBytes();
    part.encode(new KeyInput(BINDING).time(time), out);
    return out.toBytes();
  }

  private static KeyPart.Time fixed(Duration width, boolean descending) {
    return new BucketPart(
        new KeyElement.Bucket(new BucketWidth.Fixed(width), Label.START, descending),
        Resolution.MILLISECONDS);
  }

  private static KeyPart.Time calendar(CalendarUnit unit, boolean descending) {
    return new BucketPart(
        new KeyElement.Bucket(new BucketWidth.Calendar(unit), Label.START, descending),
        Resolution.MILLISECONDS);
  }

  private static KeyPart.Time named(CalendarUnit unit) {
    return new NamedBucketPart(
        new KeyElement.Bucket(new BucketWidth.Calendar(unit), Label.TEXT, false),
        Resolution.MILLISECONDS);
  }

  @Provide
  Arbitrary<KeyPart.Time> parts() {
    return Arbitraries.of(
        fixed(Duration.ofHours(1), false),
        fixed(Duration.ofDays(1), true),
        fixed(Duration.ofMillis(1L << 32), false),
        fixed(Duration.of(21, ChronoUnit.DAYS), false),
        fixed(Duration.ofMillis(1), false),
        calendar(CalendarUnit.DAY, false),
        calendar(CalendarUnit.WEEK, true),
        calendar(CalendarUnit.MONTH, false),
        calendar(CalendarUnit.YEAR, true),
        named(CalendarUnit.DAY),
        named(CalendarUnit.WEEK),
        named(CalendarUnit.MONTH),
        named(CalendarUnit.YEAR),
        new InstantPart(new KeyElement.Time(false), Resolution.MILLISECONDS),
        new InstantPart(new KeyElement.Time(true), Resolution.MILLISECONDS));
  }

  /** Within the years 0 to 9999, near borders. */
  @Provide
  Arbitrary<Long> times() {
    Arbitrary<Long> borders =
        Arbitraries.of(
            0L,
            86_400_000L,
            1L << 32,
            1_425_168_000_000L,
            1_451_606_400_000L,
            1_451_865_600_000L,
            1_456_704_000_000L,
            -62_167_219_200_000L + 8L * 86_400_000);
    return Arbitraries.oneOf(
        borders.flatMap(border -> Arbitraries.longs().between(border - 2, border + 2)),
        Arbitraries.longs().between(-62_160_000_000_000L, 253_370_000_000_000L));
  }
}
