package dev.varve.store.rocksdb.wal;

import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A place in the logs where records are missing, and what follows it. */
final class Hole {
  final long log;
  final Path file;

  /** Offset of the first bad byte; -1 if the whole file is missing. */
  final long offset;

  /** Offset where the readable part of the file ends. */
  final long cut;

  final String reason;

  /** The sequence number of the first missing edit; -1 if unknown. */
  final long expected;

  /** When the last record before the hole was written. */
  final @Nullable Instant after;

  /** When the first record after the hole was written. */
  @Nullable Instant before;

  /** Bytes from the first bad one to the next record, or to the end of the file. */
  long bytes;

  /** The sequence number of the next edit; -1 if none follows. */
  long nextSequence = -1;

  /** The number of records that follow in all logs, of their edits, and of their bytes. */
  long recordsBehind;

  long editsBehind;
  long bytesBehind;

  /** Why the missing records had certainly been synced; null if there is no proof. */
  @Nullable String proof;

  Hole(
      long log,
      Path file,
      long offset,
      long cut,
      String reason,
      long expected,
      @Nullable Instant after) {
    this.log = log;
    this.file = file;
    this.offset = offset;
    this.cut = cut;
    this.reason = reason;
    this.expected = expected;
    this.after = after;
  }

  /**
   * Returns whether nothing is missing: the bad bytes are from a failed append that was repeated.
   */
  boolean isHarmless() {
    return offset >= 0 && expected >= 0 && nextSequence == expected;
  }

  /** Returns the number of missing edits; -1 if unknown. */
  long lostEdits() {
    return nextSequence < 0 || expected < 0 ? -1 : nextSequence - expected;
  }
}
