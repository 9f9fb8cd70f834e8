package dev.varve.layout;

/** A row key, qualifier or value is not what the layout writes. */
public final class DamagedCellException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String reason;

  /** Names the coordinate, the place of the byte, what stands there and what should. */
  public DamagedCellException(String reason) {
    super(reason);
    this.reason = reason;
  }

  @Override
  public String getMessage() {
    return reason;
  }
}
