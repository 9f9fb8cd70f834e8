package dev.varve.cli.io;

import picocli.CommandLine.Option;

/** The option of commands that show their progress. */
public final class ProgressOption {
  @Option(names = "--no-progress", description = "Show no progress.")
  private boolean silent;

  /** Returns whether to show nothing until the end. */
  public boolean isSilent() {
    return silent;
  }
}
