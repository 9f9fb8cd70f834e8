package dev.varve.formats.protobuf;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/** Thrown if bytes are not the expected Protocol Buffers message. */
public final class MalformedMessageException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  public MalformedMessageException(String what) {
    super(what);
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.USER;
  }
}
