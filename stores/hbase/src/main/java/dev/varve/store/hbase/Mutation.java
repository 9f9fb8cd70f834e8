package dev.varve.store.hbase;

import dev.varve.store.RowOutcome;
import org.apache.hadoop.hbase.client.Row;
import org.jspecify.annotations.Nullable;

/** One mutation of a batch in progress: its edits, the request for them, and the outcome. */
final class Mutation {
  private final int first;
  private final int end;
  private final long bytes;

  /** The request to send; null if there is nothing to do. */
  private @Nullable Row row;

  private @Nullable RowOutcome outcome;

  /** Whether an attempt ended without an answer, so that it may have been applied. */
  private boolean inDoubt;

  /** Creates a mutation of the edits from {@code first} (inclusive) to {@code end} (exclusive). */
  Mutation(int first, int end, long bytes) {
    this.first = first;
    this.end = end;
    this.bytes = bytes;
  }

  int first() {
    return first;
  }

  int end() {
    return end;
  }

  /** Returns the approximate size in a request, in bytes. */
  long bytes() {
    return bytes;
  }

  void send(@Nullable Row what) {
    row = what;
    if (what == null) {
      outcome = RowOutcome.APPLIED;
    }
  }

  Row row() {
    if (row == null) {
      throw new IllegalStateException("nothing to send");
    }
    return row;
  }

  boolean isOpen() {
    return outcome == null;
  }

  void end(RowOutcome how) {
    outcome = how;
  }

  RowOutcome outcome() {
    if (outcome == null) {
      throw new IllegalStateException("no outcome yet");
    }
    return outcome;
  }

  void doubt() {
    inDoubt = true;
  }

  boolean isInDoubt() {
    return inDoubt;
  }
}
