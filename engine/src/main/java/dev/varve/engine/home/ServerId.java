package dev.varve.engine.home;

import java.util.HexFormat;

/**
 * Identifies one of several servers on a store: 64 random bits, printed as 16 hexadecimal digits.
 */
public record ServerId(long id) {
  @Override
  public String toString() {
    return HexFormat.of().toHexDigits(id);
  }
}
