package dev.varve.formats.protobuf;

/** Thrown if bytes are not the expected Protocol Buffers message. */
public final class MalformedMessageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public MalformedMessageException(String what) {
    super(what);
  }
}
