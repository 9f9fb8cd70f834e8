package dev.varve.server.varve;

import dev.varve.engine.heat.Load;
import java.util.Arrays;
import java.util.stream.Collectors;

/** A quantity that a heat map shows. */
public enum HeatMeasure {
  READS("reads", "cells"),
  WRITES("writes", "cells"),
  /** Bytes read and written. */
  BYTES("bytes", "bytes"),
  /** Mean duration of the store calls, each weighted by its number of cells. */
  LATENCY("latency", "microseconds");

  private final String word;
  private final String unit;

  HeatMeasure(String word, String unit) {
    this.word = word;
    this.unit = unit;
  }

  /**
   * Finds a measure by its word.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static HeatMeasure of(String word) {
    return Arrays.stream(values())
        .filter(one -> one.word.equals(word))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "'what' is one of %s, not '%s'"
                    .formatted(
                        Arrays.stream(values())
                            .map(HeatMeasure::word)
                            .collect(Collectors.joining(", ")),
                        word)));
  }

  /** Returns the word in parameters. */
  public String word() {
    return word;
  }

  /** Returns the unit of values. */
  public String unit() {
    return unit;
  }

  /** Returns the value of a load. */
  public long of(Load load) {
    return switch (this) {
      case READS -> load.reads();
      case WRITES -> load.writes();
      case BYTES -> load.bytesRead() + load.bytesWritten();
      case LATENCY -> Math.round(load.meanMicros());
    };
  }
}
