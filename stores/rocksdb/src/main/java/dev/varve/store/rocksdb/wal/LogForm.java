package dev.varve.store.rocksdb.wal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** The format of a log file: blocks of 32 KiB that hold fragments of records. */
final class LogForm {
  /*
   * fragment := checksum u32le ‖ length u16le ‖ type u8 ‖ [log number u32le] ‖ payload
   *
   * The checksum is a masked CRC-32C of everything after the length. The log number is present in
   * files that RocksDB recycles. Recycling is off here, but files of other programs are readable. A
   * block without room for a fragment's header ends in zeros.
   */
  static final int BLOCK = 32 << 10;
  static final int HEADER = 7;
  static final int RECYCLABLE_HEADER = 11;

  static final int FULL = 1;
  static final int FIRST = 2;
  static final int MIDDLE = 3;
  static final int LAST = 4;

  /** The first of the same four types in a recycled file; {@link #RECYCLABLE_LAST} is the last. */
  static final int RECYCLABLE_FULL = 5;

  static final int RECYCLABLE_LAST = 8;

  static final int COMPRESSION = 9;
  static final int TIMESTAMP_SIZES = 10;
  static final int RECYCLABLE_TIMESTAMP_SIZES = 11;
  static final int PREDECESSOR = 130;
  static final int RECYCLABLE_PREDECESSOR = 131;

  /** Readers skip unknown types that have this bit. */
  static final int IGNORABLE = 0x80;

  static final VarHandle SHORT_LE =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle INT_LE =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle LONG_LE =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final int MASK_DELTA = 0xa282ead8;

  private LogForm() {}

  static boolean isRecyclable(int type) {
    return (type >= RECYCLABLE_FULL && type <= RECYCLABLE_LAST)
        || type == RECYCLABLE_TIMESTAMP_SIZES
        || type == RECYCLABLE_PREDECESSOR;
  }

  static int headerLength(int type) {
    return isRecyclable(type) ? RECYCLABLE_HEADER : HEADER;
  }

  /** Returns the checksum, as stored in a file, of the bytes from {@code from} on. */
  static int checksum(byte[] bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, length);
    int value = (int) crc.getValue();
    return Integer.rotateRight(value, 15) + MASK_DELTA;
  }
}
