package dev.varve.server.text;

import dev.varve.model.Resolution;

/** Fuzzed: OpenTSDB's lines, those of imports and of its telnet protocol. */
public final class OpenTsdbLinesFuzz {
  private OpenTsdbLinesFuzz() {}

  /** Takes one input, as fuzzers call it. */
  public static void fuzzerTestOneInput(byte[] input) {
    LinesFuzz.read(new OpenTsdbLines(Resolution.MILLISECONDS), input);
  }
}
