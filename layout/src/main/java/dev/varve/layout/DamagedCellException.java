package dev.varve.layout;

/** A row key, qualifier or value is not what the layout writes. */
public final class DamagedCellException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Names the coordinate, the place of the byte, what stands there and what should. */
  public DamagedCellException(String message) {
    super(message);
  }
}
