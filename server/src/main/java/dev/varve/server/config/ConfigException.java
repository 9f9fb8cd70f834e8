package dev.varve.server.config;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;
import java.util.List;

/** A configuration has problems; all of them are named. */
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

  /** Each with its place. */
  public List<String> problems() {
    return problems;
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.USER;
  }
}
