package dev.varve.cli.io;

import picocli.CommandLine.Option;

/** The option of commands whose outcome is a row. */
public final class OutcomeOption {
  @Option(
      names = "--output",
      defaultValue = "table",
      description =
          "How the outcome is printed: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OutputFormat format;

  /** Returns the form of the row. */
  public OutputFormat format() {
    return format;
  }
}
