package dev.varve.query.promql.eval;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class ExactSumTest {
  private static final double[] SPECIAL = {
    0.0, -0.0, 1, -1, 0.5, 0x1p53, -0x1p53, 0x1p52 + 1, 1e300, Double.NaN, Double.POSITIVE_INFINITY
  };

  @Property
  void hasTheBitsOfTheCompensatedSumOrIsNone(
      @ForAll @Size(min = 1, max = 40) int[] picks, @ForAll @IntRange(max = 3) int wildness) {
    double[] values = new double[picks.length];
    for (int i = 0; i < values.length; i++) {
      boolean isSpecial = wildness > 0 && Math.floorMod(picks[i], 4) < wildness;
      int integer = picks[i] / 7;
      values[i] = isSpecial ? SPECIAL[Math.floorMod(integer, SPECIAL.length)] : integer;
    }
    Kahan sum = new Kahan();
    Mean mean = new Mean();
    boolean areIntegers = true;
    for (double value : values) {
      sum.add(value);
      mean.add(value);
      areIntegers &= Math.abs(value) < 1e10 && value == Math.rint(value);
    }
    double exact = ExactSum.of(values, 0, values.length);
    if (areIntegers) {
      assertThat(exact).isNotNaN();
    }
    if (!Double.isNaN(exact)) {
      assertThat(bits(exact)).isEqualTo(bits(sum.total()));
      assertThat(bits(exact / values.length)).isEqualTo(bits(mean.value()));
    }
  }

  private static long bits(double value) {
    return Double.doubleToRawLongBits(value);
  }
}
