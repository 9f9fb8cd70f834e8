package dev.varve.engine.error;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;
import java.util.List;

/** There is no dataset of that name. */
public final class UnknownDatasetException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  public UnknownDatasetException(String name, List<String> known) {
    super("there is no dataset '%s'; there are: %s".formatted(name, String.join(", ", known)));
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.NOT_FOUND;
  }
}
