package dev.varve.formats.text;

import dev.varve.model.Resolution;

/** Fuzzes Prometheus' text format and OpenMetrics. */
public final class PrometheusLinesFuzz {
  private PrometheusLinesFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) {
    LinesFuzz.read(new PrometheusLines(Resolution.MILLISECONDS, () -> 1L), input);
  }
}
