package dev.varve.layout.declared;

import dev.varve.model.Resolution;
import java.time.DateTimeException;
import java.time.Instant;

/** Instants as people read them. */
final class Instants {
  private Instants() {}

  /** The number and, where the calendar reaches, what it means. */
  static String show(long time, Resolution resolution) {
    long perSecond = resolution.perSecond();
    try {
      Instant instant =
          Instant.ofEpochSecond(
              Math.floorDiv(time, perSecond),
              Math.floorMod(time, perSecond) * (1_000_000_000L / perSecond));
      return time + " (" + instant + ")";
    } catch (DateTimeException beyondTheCalendar) {
      return time + " " + resolution.symbol();
    }
  }
}
