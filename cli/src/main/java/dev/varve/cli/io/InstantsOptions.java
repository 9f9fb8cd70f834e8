package dev.varve.cli.io;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that name the first and the last instant of what is copied. */
public final class InstantsOptions {
  @Option(
      names = "--from",
      paramLabel = "TIME",
      description =
          "First instant: a date, an instant, a number in the dataset's unit, or 15m for 15 minutes ago (default: all).")
  private @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      description = "Last instant, in the same forms (default: all).")
  private @Nullable String to;

  /** Returns the first instant as it was given; null for the first of all. */
  public @Nullable String from() {
    return from;
  }

  /** Returns the last instant as it was given; null for the last of all. */
  public @Nullable String to() {
    return to;
  }

  /** Returns the first instant as it was given, or a word for the first of all. */
  public String from(String first) {
    return from == null ? first : from;
  }

  /** Returns the last instant as it was given, or a word for the last of all. */
  public String to(String last) {
    return to == null ? last : to;
  }

  /** Adds the parameters {@code from} and {@code to} of those that were given. */
  public void into(Map<String, String> parameters) {
    if (from != null) {
      parameters.put("from", from);
    }
    if (to != null) {
      parameters.put("to", to);
    }
  }
}
