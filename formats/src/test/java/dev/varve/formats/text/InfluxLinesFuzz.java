package dev.varve.formats.text;

import dev.varve.model.Resolution;

/** Fuzzes Influx line protocol; every second input joins fields to metrics. */
public final class InfluxLinesFuzz {
  private InfluxLinesFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) {
    LinesFuzz.read(
        new InfluxLines(
            Resolution.NANOSECONDS, Resolution.MILLISECONDS, () -> 1L, input.length % 2 == 0),
        input);
  }
}
