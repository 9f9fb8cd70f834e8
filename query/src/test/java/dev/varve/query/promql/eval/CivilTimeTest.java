package dev.varve.query.promql.eval;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDateTime;
import java.time.ZoneOffset;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class CivilTimeTest {
  @Property
  void isThatOfJavaWhereJavaHasOne(
      @ForAll @LongRange(min = -31_557_014_135_596_800L, max = 31_556_889_832_780_799L)
          long seconds) {
    LocalDateTime java = LocalDateTime.ofEpochSecond(seconds, 0, ZoneOffset.UTC);
    CivilTime civil = CivilTime.of(seconds);
    assertThat(civil)
        .isEqualTo(
            new CivilTime(
                java.getYear(),
                java.getMonthValue(),
                java.getDayOfMonth(),
                java.getDayOfYear(),
                java.getDayOfWeek().getValue() % 7,
                java.toLocalTime().toSecondOfDay()));
    assertThat(civil.daysInMonth()).isEqualTo(java.toLocalDate().lengthOfMonth());
    assertThat(civil.hour()).isEqualTo(java.getHour());
    assertThat(civil.minute()).isEqualTo(java.getMinute());
  }

  /** Expected: the result of Go's {@code time.Unix(-1<<63, 0).UTC()}. */
  @Test
  void goesRoundBeforeTheFirstDayOfGo() {
    CivilTime least = CivilTime.of(Long.MIN_VALUE);
    assertThat(least.year()).isEqualTo(292_277_026_596L);
    assertThat(least.month()).isEqualTo(12);
    assertThat(least.day()).isEqualTo(4);
    assertThat(least.dayOfYear()).isEqualTo(339);
    assertThat(least.dayOfWeek()).isZero();
    assertThat(least.hour()).isEqualTo(15);
    assertThat(least.minute()).isEqualTo(30);
    assertThat(least.daysInMonth()).isEqualTo(31);
  }

  /**
   * 400 years are 146,097 days: years at multiples of that from 1970 differ only in their number.
   */
  @Test
  void knowsYearsThatJavaDoesNot() {
    long eras = 500_000_000L;
    long seconds = eras * 146_097 * 86_400;
    assertThat(CivilTime.of(seconds)).isEqualTo(new CivilTime(1970 + eras * 400, 1, 1, 1, 4, 0));
    assertThat(CivilTime.of(-seconds)).isEqualTo(new CivilTime(1970 - eras * 400, 1, 1, 1, 4, 0));
  }
}
