package dev.varve.store.hbase;

/** Thrown if a call of HBase fails. */
final class FailedCallException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient Failure failure;

  FailedCallException(Failure failure) {
    super(failure.reason(), failure.cause());
    this.failure = failure;
  }

  Failure failure() {
    return failure;
  }
}
