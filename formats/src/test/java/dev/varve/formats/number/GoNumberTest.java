package dev.varve.formats.number;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GoNumberTest {
  /** Results of {@code strconv.FormatFloat(x, 'f', -1, 64)}. */
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-0.0, -0",
    "1, 1",
    "-1, -1",
    "100, 100",
    "1.5, 1.5",
    "0.001, 0.001",
    "0.00099, 0.00099",
    "1e-6, 0.000001",
    "9999999.5, 9999999.5",
    "10000000.5, 10000000.5",
    "9007199254740991, 9007199254740991",
    "9007199254740992, 9007199254740992",
    "1e20, 100000000000000000000",
    "123456789012345680000, 123456789012345680000",
    "-0.1, -0.1",
    "NaN, NaN",
    "Infinity, +Inf",
    "-Infinity, -Inf",
  })
  void writesNumbersAsGoDoes(double value, String expected) {
    assertThat(GoNumber.plain(value)).isEqualTo(expected);
  }

  @Test
  void writesTheSmallestNumberWithOneDigit() {
    assertThat(GoNumber.plain(Double.MIN_VALUE)).isEqualTo("0." + "0".repeat(323) + "5");
  }

  @Property
  void plainNumbersAreShortAndExact(@ForAll("doubles") double value) {
    String text = GoNumber.plain(value);
    assertThat(Double.parseDouble(text)).isEqualTo(value);
    assertThat(text).doesNotContain("E", "e").doesNotEndWith(".0").doesNotStartWith(".");
    assertThat(text).isEqualTo(GoNumber.fixed(value, GoNumber.SHORTEST));
    assertThat(new BigDecimal(text).stripTrailingZeros().precision())
        .isLessThanOrEqualTo(new BigDecimal(Double.toString(value)).precision());
  }

  @Provide
  Arbitrary<Double> doubles() {
    return Arbitraries.oneOf(
        Arbitraries.longs().map(Double::longBitsToDouble).filter(Double::isFinite),
        Arbitraries.doubles().between(-1e8, 1e8),
        Arbitraries.doubles().between(-2, 2),
        Arbitraries.longs().between(-(1L << 54), 1L << 54).map(value -> (double) value),
        Arbitraries.integers().between(-100_000, 100_000).map(value -> value / 100.0));
  }
}
