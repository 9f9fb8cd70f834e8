package dev.varve.store.rocksdb.wal;

import dev.varve.store.LaterFormatException;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The header that Varve adds to every batch, as a record that RocksDB keeps in the log and ignores.
 * It states what was synced before the batch was written, when it was written, and a checksum of
 * the whole batch. RocksDB's own checksums cover fragments only: if pages change places, whole
 * fragments of two batches may end up together.
 *
 * @param syncedThrough the last sequence number that was certainly on the disk
 * @param millis milliseconds since 1970, by the system clock
 * @param checksum checksum of everything after it in the batch; 0 before it is written
 */
public record GroupMark(long syncedThrough, long millis, int checksum) {
  /*
   * record := tag 03 ‖ length 16 (22 bytes) ‖ 'V' ‖ version 01 ‖ checksum u32le ‖ synced u64le
   *           ‖ millis u64le
   */
  /** Its length in a batch, in bytes. */
  public static final int LENGTH = 24;

  /** Offset after the checksum, where the bytes it covers begin. */
  static final int CHECKED = 8;

  private static final int TAG = 0x03;
  private static final int NAME = 'V';
  private static final int VERSION = 1;

  public GroupMark(long syncedThrough, long millis) {
    this(syncedThrough, millis, 0);
  }

  /** Writes the mark into a batch that is otherwise complete. */
  public void into(byte[] batch, int at) {
    batch[at] = TAG;
    batch[at + 1] = LENGTH - 2;
    batch[at + 2] = NAME;
    batch[at + 3] = VERSION;
    LogForm.LONG_LE.set(batch, at + CHECKED, syncedThrough);
    LogForm.LONG_LE.set(batch, at + CHECKED + Long.BYTES, millis);
    CRC32C crc = new CRC32C();
    crc.update(batch, at + CHECKED, batch.length - at - CHECKED);
    LogForm.INT_LE.set(batch, at + 4, (int) crc.getValue());
  }

  /**
   * Reads a mark; null if the batch has none, as in batches of older versions.
   *
   * @throws LaterFormatException if a later version wrote it
   */
  static @Nullable GroupMark of(byte[] batch, int at) {
    boolean there =
        batch.length >= at + LENGTH
            && batch[at] == TAG
            && batch[at + 1] == LENGTH - 2
            && batch[at + 2] == NAME;
    int version = there ? batch[at + 3] & 0xff : 0;
    if (version > VERSION) {
      throw new LaterFormatException("the mark of a batch", version, VERSION);
    }
    return version == VERSION
        ? new GroupMark(
            (long) LogForm.LONG_LE.get(batch, at + CHECKED),
            (long) LogForm.LONG_LE.get(batch, at + CHECKED + Long.BYTES),
            (int) LogForm.INT_LE.get(batch, at + 4))
        : null;
  }
}
