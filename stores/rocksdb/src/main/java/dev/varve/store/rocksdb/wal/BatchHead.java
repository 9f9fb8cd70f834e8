package dev.varve.store.rocksdb.wal;

import org.jspecify.annotations.Nullable;

/**
 * The start of a batch, which is the payload of a log record.
 *
 * @param sequence the sequence number of its first edit
 * @param count the number of its edits
 * @param mark the mark; null if it has none
 */
record BatchHead(long sequence, long count, @Nullable GroupMark mark) {
  static final int HEADER = 12;

  /** Number of bytes of a batch that {@link #of} needs. */
  static final int LENGTH = HEADER + GroupMark.LENGTH;

  /** The offset of the first byte that a mark's checksum covers. */
  static final int CHECKED = HEADER + GroupMark.CHECKED;

  /** Reads the start of a batch; null if the payload is too short to be one. */
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
