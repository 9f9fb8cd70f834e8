package dev.varve.server.protobuf;

/** Bytes are no message of Protocol Buffers, or not the one that was expected. */
public final class MalformedMessageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public MalformedMessageException(String what) {
    super(what);
  }
}
