package dev.varve.store.rocksdb.wal;

import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A place in the logs where records are missing, and what follows it. */
final class Hole {
  final long log;
  final Path file;

  /** The first bad byte; -1 where the whole file is missing. */
  final long offset;

  /** Where the readable part of the file ends. */
  final long cut;

  final String reason;

  /** The sequence number of the first missing edit; -1 where it is unknown. */
  final long expected;

  /** When the last record before it was written. */
  final @Nullable Instant after;

  /** When the first record behind it was written. */
  @Nullable Instant before;

  /** Bytes from the first bad one to the next record, or to the end of the file. */
  long bytes;

  /** The sequence number of the next edit; -1 where none follows. */
  long nextSequence = -1;

  /** The records that follow in all logs, their edits, and their bytes. */
  long recordsBehind;

  long editsBehind;
  long bytesBehind;

  /** Why the missing records had surely been synced; null where nothing proves it. */
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

  /** Whether nothing is missing: bad bytes of an append that failed, and that was made again. */
  boolean isHarmless() {
    return offset >= 0 && expected >= 0 && nextSequence == expected;
  }

  /** How many edits are missing; -1 where that is unknown. */
  long lostEdits() {
    return nextSequence < 0 || expected < 0 ? -1 : nextSequence - expected;
  }
}
