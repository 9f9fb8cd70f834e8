package dev.varve.formats.text;

import dev.varve.model.Resolution;
import java.util.List;

/** Fuzzes Graphite's lines with templates; every second input joins fields to metrics. */
public final class GraphiteLinesFuzz {
  private static final GraphiteTemplates TEMPLATES =
      GraphiteTemplates.of(
          List.of(
              "servers.* .host.measurement.field* site=here",
              "*.b.* measurement.measurement.tag.tag",
              "measurement*"));

  private GraphiteLinesFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) {
    LinesFuzz.read(
        new GraphiteLines(TEMPLATES, Resolution.MILLISECONDS, () -> 1L, input.length % 2 == 0),
        input);
  }
}
