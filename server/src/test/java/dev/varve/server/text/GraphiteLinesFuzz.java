package dev.varve.server.text;

import dev.varve.model.Resolution;
import java.util.List;

/** Fuzzed: Graphite's lines, by templates; fields joined to metrics in every second input. */
public final class GraphiteLinesFuzz {
  private static final GraphiteTemplates TEMPLATES =
      GraphiteTemplates.of(
          List.of(
              "servers.* .host.measurement.field* site=here",
              "*.b.* measurement.measurement.tag.tag",
              "measurement*"));

  private GraphiteLinesFuzz() {}

  /** Takes one input, as fuzzers call it. */
  public static void fuzzerTestOneInput(byte[] input) {
    LinesFuzz.read(
        new GraphiteLines(TEMPLATES, Resolution.MILLISECONDS, () -> 1L, input.length % 2 == 0),
        input);
  }
}
