package dev.varve.engine.error;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;
import java.util.List;

/** A configuration contradicts itself or the state of the store. Lists all problems at once. */
public final class InvalidConfigException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  private final transient List<String> problems;

  public InvalidConfigException(List<String> problems) {
    super(String.join("\n", problems));
    this.problems = List.copyOf(problems);
  }

  /** Returns one sentence per problem. */
  public List<String> problems() {
    return problems;
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.USER;
  }
}
