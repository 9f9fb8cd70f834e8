package dev.varve.store;

/** A read was cancelled from outside. */
public final class ReadCancelledException extends StoreException {
  private static final long serialVersionUID = 1;

  public ReadCancelledException() {
    super("the read was cancelled");
  }
}
