package dev.varve.engine.home;

import java.util.HexFormat;

/**
 * Which of several servers on one store this is: 64 random bits, shown as 16 hexadecimal digits.
 */
public record ServerId(long id) {
  @Override
  public String toString() {
    return HexFormat.of().toHexDigits(id);
  }
}
