package dev.varve.server.config;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;
import java.util.List;

/** Thrown for an invalid configuration. The message lists all problems. */
public final class ConfigException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  private final transient List<String> problems;

  public ConfigException(List<String> problems) {
    super(
        String.join(
            System.lineSeparator(),
            problems.stream().map(problem -> "config: " + problem).toList()));
    this.problems = List.copyOf(problems);
  }

  /** Returns all problems, each with its place. */
  public List<String> problems() {
    return problems;
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.USER;
  }
}
