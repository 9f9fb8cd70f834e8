package dev.varve.layout.declared;

import dev.varve.model.Resolution;
import java.time.Duration;
import java.util.Optional;

/** Converts durations to ticks of a resolution. */
final class Ticks {
  private Ticks() {}

  /** Returns empty if the duration is not a whole number of ticks. */
  static Optional<Long> of(Duration length, Resolution resolution) {
    long nanosPerTick = 1_000_000_000L / resolution.perSecond();
    long nanos = length.toNanos();
    return nanos % nanosPerTick == 0 ? Optional.of(nanos / nanosPerTick) : Optional.empty();
  }

  /** Like {@link #of}, for durations that were already checked. */
  static long exact(Duration length, Resolution resolution) {
    return of(length, resolution)
        .orElseThrow(() ->
            new IllegalArgumentException(
                TimeText.of(length) + " is not a whole number of " + resolution.symbol()));
  }
}
