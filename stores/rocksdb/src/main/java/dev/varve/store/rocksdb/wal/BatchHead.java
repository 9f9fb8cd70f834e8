package dev.varve.store.rocksdb.wal;

import org.jspecify.annotations.Nullable;

/**
 * The beginning of a batch, which is the payload of a log's record.
 *
 * @param sequence of its first edit
 * @param count of its edits
 * @param mark null where it bears none
 */
record BatchHead(long sequence, long count, @Nullable GroupMark mark) {
  static final int HEADER = 12;

  /** As many bytes of a batch as {@link #of} needs. */
  static final int LENGTH = HEADER + GroupMark.LENGTH;

  /** The offset from which on the checksum of a mark counts. */
  static final int CHECKED = HEADER + GroupMark.CHECKED;

  /** Reads it; null where the payload is too short to be a batch. */
  static @Nullable BatchHead of(byte[] payload) {
    return payload.length < HEADER
        ? null
        : new BatchHead(
            (long) LogForm.LONG_LE.get(payload, 0),
            (int) LogForm.INT_LE.get(payload, 8) & 0xffffffffL,
            GroupMark.of(payload, HEADER));
  }

  long end() {
    return sequence + count;
  }
}
