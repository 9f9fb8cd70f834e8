package dev.varve.engine.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class ExtentsTest {
  private static final TimeRange NONE = new TimeRange(0, 0);
  private static final long DAY = 86_400_000;

  @Property
  void holdsWhatStoodAndWhatCame(
      @ForAll long a, @ForAll long b, @ForAll long c, @ForAll long d, @ForAll long spread) {
    TimeRange known = new TimeRange(Math.min(a, b), Math.max(a, b));
    long first = Math.min(c, d);
    long last = Math.min(Math.max(c, d), Long.MAX_VALUE - 1);
    for (Resolution resolution : Resolution.values()) {
      TimeRange grown = Extents.grown(known, Math.min(first, last), last, resolution, spread);

      assertThat(grown.contains(Math.min(first, last))).isTrue();
      assertThat(grown.contains(last)).isTrue();
      if (!known.isEmpty()) {
        assertThat(grown.from()).isLessThanOrEqualTo(known.from());
        assertThat(grown.to()).isGreaterThanOrEqualTo(known.to());
      }
    }
  }

  /** A year of samples, one per minute, needs only a few dozen extents. */
  @Test
  void isSeldomWritten() {
    TimeRange extent = NONE;
    int written = 0;
    for (long time = 0; time < 365 * DAY; time += 60_000) {
      if (extent.isEmpty() || !extent.contains(time)) {
        extent = Extents.grown(extent, time, time, Resolution.MILLISECONDS, 77);
        written++;
      }
    }

    assertThat(written).isBetween(10, 60);
    assertThat(extent.to() - 365 * DAY).isLessThan(50 * DAY);
  }

  @Test
  void endsAtDifferentTimesForDifferentKeys() {
    TimeRange one = Extents.grown(NONE, 0, 0, Resolution.MILLISECONDS, 0);
    TimeRange other = Extents.grown(NONE, 0, 0, Resolution.MILLISECONDS, 255);

    assertThat(one.to()).isBetween(DAY, DAY + 2);
    assertThat(other.to()).isGreaterThan(one.to() + DAY / 2).isLessThan(2 * DAY + 2);
  }
}
