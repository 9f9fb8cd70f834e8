package dev.varve.server.text;

import dev.varve.model.Resolution;

/** Fuzzed: the lines of KairosDB's export. */
public final class KairosDbLinesFuzz {
  private KairosDbLinesFuzz() {}

  /** Takes one input, as fuzzers call it. */
  public static void fuzzerTestOneInput(byte[] input) {
    LinesFuzz.read(new KairosDbLines(Resolution.MILLISECONDS, new LeftOut()), input);
  }
}
