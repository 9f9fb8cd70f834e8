package dev.varve.server.text;

import dev.varve.model.Resolution;

/** Fuzzed: Prometheus' text format and OpenMetrics. */
public final class PrometheusLinesFuzz {
  private PrometheusLinesFuzz() {}

  /** Takes one input, as fuzzers call it. */
  public static void fuzzerTestOneInput(byte[] input) {
    LinesFuzz.read(new PrometheusLines(Resolution.MILLISECONDS, () -> 1L), input);
  }
}
