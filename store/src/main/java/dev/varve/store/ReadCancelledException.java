package dev.varve.store;

/** Thrown by a read that was cancelled. */
public final class ReadCancelledException extends StoreException {
  private static final long serialVersionUID = 1;

  public ReadCancelledException() {
    super("the read was cancelled");
  }
}
