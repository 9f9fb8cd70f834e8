package dev.varve.layout.contract;

import java.util.Map;
import java.util.Random;

/** Columns in seconds, which hold one millisecond in a thousand. */
class KairosDbSecondsContractTest extends LayoutContract {
  private static final long WIDTH = 1_814_400;

  @Override
  protected LayoutFixture fixture() {
    return new KairosDbFixture(
        Map.of("unit", "seconds"),
        "kairosdb{codec.tuple=1, rowWidth=1814400, tagIndexed=, unit=seconds}") {
      // Not so near the ends of all time that the time held before it lies outside.
      @Override
      public long time(Random random) {
        return holdable(random.nextBoolean() ? random.nextLong() >> 4 : random.nextLong() >> 40);
      }

      @Override
      public long holdable(long time) {
        long offset = Math.abs(time) % WIDTH;
        if (time >= 0) {
          return time - offset % 1000;
        }
        long up = Math.ceilDiv(offset, 1000) * 1000;
        return time + offset - Math.min(up, WIDTH);
      }
    };
  }
}
