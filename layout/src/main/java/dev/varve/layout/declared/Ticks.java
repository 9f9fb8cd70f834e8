package dev.varve.layout.declared;

import dev.varve.model.Resolution;
import java.time.Duration;
import java.util.Optional;

/** Lengths of time, counted in the unit of a resolution. */
final class Ticks {
  private Ticks() {}

  /** Empty where the length is no whole number of ticks. */
  static Optional<Long> of(Duration length, Resolution resolution) {
    long nanosPerTick = 1_000_000_000L / resolution.perSecond();
    long nanos = length.toNanos();
    return nanos % nanosPerTick == 0 ? Optional.of(nanos / nanosPerTick) : Optional.empty();
  }

  /** As {@link #of}, for lengths that were checked. */
  static long exact(Duration length, Resolution resolution) {
    return of(length, resolution)
        .orElseThrow(() ->
            new IllegalArgumentException(
                TimeText.of(length) + " is no whole number of " + resolution.symbol()));
  }
}
