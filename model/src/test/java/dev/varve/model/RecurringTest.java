package dev.varve.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class RecurringTest {
  @Property
  void overlapsWhatHasAnInstantOfThem(
      @ForAll @LongRange(min = -200, max = 200) long first,
      @ForAll @IntRange(min = 2, max = 50) int step,
      @ForAll @IntRange(min = 0, max = 48) int more,
      @ForAll @LongRange(min = -300, max = 300) long from,
      @ForAll @IntRange(min = 1, max = 100) int length) {
    long width = 1 + (long) more % (step - 1);
    Recurring recurring = new Recurring(first, step, width);
    long next = from;
    while (next < first || (next - first) % step >= width) {
      next++;
    }
    assertThat(recurring.nextAt(from)).isEqualTo(next);
    assertThat(recurring.overlaps(new TimeRange(from, from + length)))
        .isEqualTo(next < from + length);
  }

  @Test
  void leavesNothingOutThatItCannotTell() {
    Recurring early = new Recurring(Long.MIN_VALUE + 10, 100, 1);
    assertThat(early.nextAt(Long.MIN_VALUE)).isEqualTo(Long.MIN_VALUE + 10);
    assertThat(early.nextAt(Long.MAX_VALUE - 5)).isEqualTo(Long.MAX_VALUE - 5);
    assertThat(new Recurring(10, Long.MAX_VALUE, 1).nextAt(20)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void leavesGaps() {
    assertThatThrownBy(() -> new Recurring(0, 10, 10))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("leave no gap");
    assertThatThrownBy(() -> new Recurring(0, 10, 0)).isInstanceOf(IllegalArgumentException.class);
  }
}
