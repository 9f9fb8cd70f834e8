package dev.varve.cli.imports;

/** The totals over all files. */
final class Tally {
  long lines;
  long accepted;
  long refused;
  long bad;
  long leftOut;
  long coerced;

  /** Points written by the earlier run that this one resumes. */
  long acceptedBefore;

  /** Returns whether the file of {@code --bad} holds lines of this run. */
  boolean asideBegun;

  ImportState.Totals totals() {
    return new ImportState.Totals(lines, accepted, refused, coerced, bad, leftOut);
  }

  /** Goes on with the counts of an earlier run. */
  void goOnFrom(ImportState begun) {
    ImportState.Totals totals = begun.totals();
    lines = totals.lines();
    accepted = totals.accepted();
    acceptedBefore = totals.accepted();
    refused = totals.refused();
    coerced = totals.coerced();
    bad = totals.bad();
    leftOut = totals.leftOut();
    asideBegun = begun.file().bytes() >= 0;
  }
}
