package dev.varve.server.text;

import dev.varve.model.Resolution;

/** Fuzzed: Influx' line protocol, fields joined to metrics in every second input. */
public final class InfluxLinesFuzz {
  private InfluxLinesFuzz() {}

  /** Takes one input, as fuzzers call it. */
  public static void fuzzerTestOneInput(byte[] input) {
    LinesFuzz.read(
        new InfluxLines(
            Resolution.NANOSECONDS, Resolution.MILLISECONDS, () -> 1L, input.length % 2 == 0),
        input);
  }
}
