package dev.varve.store.rocksdb;

import com.dynatrace.hash4j.hashing.Hashing;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Checks block checksums of one table file, as RocksDB computes them.
 *
 * @param type 1: masked CRC-32C; 4: the lower half of XXH3
 * @param context a number of the file that is mixed into all of its checksums; 0 if it has none
 */
record BlockChecksum(int type, int context) {
  /*
   * trailer of a block := compression u8 ‖ checksum u32le
   *
   * The checksum covers the block and its compression byte, plus (context ^ (lower half of the
   * block's offset + upper half)) unless the context is 0. XXH3 covers the block alone,
   * exclusive-or compression * 6b9083d9.
   */
  private static final int CRC32C_TYPE = 1;
  private static final int XXH3_TYPE = 4;
  private static final int CRC_MASK_DELTA = 0xa282ead8;
  private static final int LAST_BYTE_PRIME = 0x6b9083d9;
  private static final VarHandle INT_LE =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  /**
   * Returns whether a block matches its checksum.
   *
   * @param bytes the block, from index 0, followed by its trailer
   * @param length length of the block in bytes, without the trailer
   * @param offset offset of the block in the file
   */
  boolean matches(byte[] bytes, int length, long offset) {
    int stored = (int) INT_LE.get(bytes, length + 1);
    int modifier = context == 0 ? 0 : context ^ ((int) offset + (int) (offset >>> 32));
    return switch (type) {
      case CRC32C_TYPE -> crc(bytes, length + 1) + modifier == stored;
      case XXH3_TYPE -> xxh3(bytes, length) + modifier == stored;
      default -> false;
    };
  }

  private static int crc(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return Integer.rotateRight((int) crc.getValue(), 15) + CRC_MASK_DELTA;
  }

  private static int xxh3(byte[] bytes, int length) {
    int hash = (int) Hashing.xxh3_64().hashBytesToLong(bytes, 0, length);
    return hash ^ ((bytes[length] & 0xff) * LAST_BYTE_PRIME);
  }
}
