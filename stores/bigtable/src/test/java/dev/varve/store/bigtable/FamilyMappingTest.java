package dev.varve.store.bigtable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.Capabilities.CellTimes;
import dev.varve.store.FamilySpec;
import dev.varve.store.TimeUse;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class FamilyMappingTest {
  private static FamilyMapping data(Resolution unit) {
    return new FamilyMapping(
        new FamilySpec("f", TimeUse.DATA, FamilySpec.ALL_VERSIONS), unit, false);
  }

  private static FamilyMapping latest(Resolution unit) {
    return new FamilyMapping(FamilySpec.latest("f"), unit, false);
  }

  @Property
  void everyTimeThatIsKeptComesBack(@ForAll Resolution unit, @ForAll("times") long time) {
    CellTimes kept = FamilyMapping.cellTimes(unit);
    long exact = Math.min(time, kept.max()) / kept.granularity() * kept.granularity();
    assertThat(kept.contains(exact)).isTrue();
    long micros = data(unit).micros(exact);
    assertThat(micros).isNotNegative();
    assertThat(micros % FamilyMapping.MICROS_STEP).as("rest of %d", micros).isZero();
    assertThat(data(unit).time(micros)).isEqualTo(exact);
  }

  @Property
  void rangesOfBigtableHoldWhatTheRangeHolds(
      @ForAll Resolution unit,
      @ForAll("times") long from,
      @ForAll("times") long to,
      @ForAll("times") long time) {
    CellTimes kept = FamilyMapping.cellTimes(unit);
    long exact = Math.min(time, kept.max()) / kept.granularity() * kept.granularity();
    FamilyMapping family = data(unit);
    TimeRange range = new TimeRange(Math.min(from, to), Math.max(from, to));
    long micros = family.micros(exact);
    long first = family.firstMicrosFrom(range.from());
    long end = family.firstMicrosFrom(range.to());
    assertThat(micros >= first && (end == Long.MAX_VALUE || micros < end))
        .as("%d in %s, %d in [%d, %d)", exact, range, micros, first, end)
        .isEqualTo(range.contains(exact));
  }

  @Provide
  Arbitrary<Long> times() {
    return Arbitraries.oneOf(
        Arbitraries.longs().between(0, Long.MAX_VALUE - 1),
        Arbitraries.longs().between(0, 5_000_000),
        Arbitraries.longs().between(1_700_000_000_000_000L, 1_700_000_000_010_000L),
        Arbitraries.longs().between(Long.MAX_VALUE - 3_000_000, Long.MAX_VALUE - 1));
  }

  @Test
  void onlyOwnClocksFinerThanAMillisecondAreStamped() {
    assertThat(latest(Resolution.MICROSECONDS).isStamped()).isTrue();
    assertThat(latest(Resolution.NANOSECONDS).isStamped()).isTrue();
    assertThat(latest(Resolution.MILLISECONDS).isStamped()).isFalse();
    assertThat(latest(Resolution.SECONDS).isStamped()).isFalse();
    assertThat(data(Resolution.MICROSECONDS).isStamped()).isFalse();
    assertThat(new FamilyMapping(FamilySpec.latest("f"), Resolution.MICROSECONDS, true).isStamped())
        .isFalse();
  }

  @Test
  void timesBefore1970AreRefused() {
    assertThat(latest(Resolution.MICROSECONDS).refusal(-1))
        .isEqualTo("cell time -1 in family 'f', which keeps times from 0 to 9223372036854774000");
    assertThat(latest(Resolution.MICROSECONDS).refusal(1_700_000_000_123_456L)).isNull();
    assertThat(latest(Resolution.SECONDS).refusal(Long.MAX_VALUE - 1)).isNotNull();
  }
}
