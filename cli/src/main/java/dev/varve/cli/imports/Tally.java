package dev.varve.cli.imports;

/** The totals over all files. */
final class Tally {
  long lines;
  long accepted;
  long refused;
  long bad;
  long leftOut;
  long coerced;

  /** Returns whether the file of {@code --bad} holds lines of this run. */
  boolean asideBegun;
}
