package dev.varve.engine;

/** A cell is not what its layout writes. The message names table, row and place. */
public final class CorruptDataException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public CorruptDataException(String message) {
    super(message);
  }
}
