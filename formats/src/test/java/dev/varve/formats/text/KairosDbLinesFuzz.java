package dev.varve.formats.text;

import dev.varve.model.Resolution;

/** Fuzzes the lines of KairosDB's export. */
public final class KairosDbLinesFuzz {
  private KairosDbLinesFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) {
    LinesFuzz.read(new KairosDbLines(Resolution.MILLISECONDS, new LeftOut()), input);
  }
}
