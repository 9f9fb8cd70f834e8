package dev.varve.formats.text;

import dev.varve.model.Resolution;

/** Fuzzes OpenTSDB's lines as in imports and its telnet protocol. */
public final class OpenTsdbLinesFuzz {
  private OpenTsdbLinesFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) {
    LinesFuzz.read(new OpenTsdbLines(Resolution.MILLISECONDS), input);
  }
}
