package dev.varve.layout.block;

import dev.varve.model.Kind;

/** The codes of kinds in blocks and journal entries: 0 int64, 1 double, 2 string. */
public final class KindCode {
  /** The number of codes. */
  public static final int COUNT = 3;

  private KindCode() {}

  /** Returns the code of a kind. */
  public static int of(Kind kind) {
    return switch (kind) {
      case INT64 -> 0;
      case DOUBLE -> 1;
      case STRING -> 2;
    };
  }

  /**
   * Returns the kind of a code.
   *
   * @throws IllegalArgumentException if no kind has it
   */
  public static Kind kind(int code) {
    return switch (code) {
      case 0 -> Kind.INT64;
      case 1 -> Kind.DOUBLE;
      case 2 -> Kind.STRING;
      default -> throw new IllegalArgumentException("no kind has code " + code);
    };
  }
}
