package dev.varve.layout.declared;

import dev.varve.model.Resolution;
import java.time.DateTimeException;
import java.time.Instant;

/** Formats instants for people. */
final class Instants {
  private Instants() {}

  /** Returns the number and, if the calendar can represent it, its date. */
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
