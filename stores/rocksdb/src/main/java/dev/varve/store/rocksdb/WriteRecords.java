package dev.varve.store.rocksdb;

import dev.varve.store.rocksdb.wal.GroupMark;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Puts and deletes in RocksDB's serialised form of a write batch, so that thousands of them take a
 * single native call.
 */
final class WriteRecords {
  /*
   * batch  := sequence u64le (0) ‖ count u32le ‖ mark ‖ record*
   * record := tag u8 ‖ column family varint ‖ key ‖ value          put
   *         | tag u8 ‖ column family varint ‖ key                  delete
   *         | tag u8 ‖ column family varint ‖ from ‖ to            delete range
   * key, value, from, to are a varint of their length and their bytes.
   *
   * It is the format of RocksDB's log files; every version reads those of older versions. A test
   * compares it with what the library writes.
   */
  private static final int HEADER_LENGTH = 12;
  private static final int COUNT_OFFSET = 8;
  private static final int DELETE = 0x04;
  private static final int PUT = 0x05;
  private static final int DELETE_RANGE = 0x0e;
  private static final VarHandle INT_LE =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final GrowingBytes bytes;
  private int count;

  WriteRecords(int capacity) {
    bytes = new GrowingBytes(HEADER_LENGTH + capacity);
    clear();
  }

  boolean isEmpty() {
    return count == 0;
  }

  int byteCount() {
    return bytes.length();
  }

  void clear() {
    bytes.truncate(0);
    bytes.addLong(0);
    bytes.addInt(0);
    count = 0;
  }

  /** Begins a put; the caller must append exactly {@code valueLength} bytes to the result. */
  GrowingBytes put(int columnFamily, GrowingBytes key, int valueLength) {
    begin(PUT, columnFamily, key);
    bytes.addVarint(valueLength);
    return bytes;
  }

  void delete(int columnFamily, GrowingBytes key) {
    begin(DELETE, columnFamily, key);
  }

  /** Deletes all keys from {@code from} (inclusive) to {@code to} (exclusive). */
  void deleteRange(int columnFamily, GrowingBytes from, GrowingBytes to) {
    begin(DELETE_RANGE, columnFamily, from);
    bytes.addVarint(to.length());
    bytes.add(to);
  }

  void addAll(WriteRecords other) {
    bytes.add(other.bytes.array(), HEADER_LENGTH, other.bytes.length() - HEADER_LENGTH);
    count += other.count;
  }

  /** Returns a copy in RocksDB's form, with a mark before the first record. */
  byte[] toBatch(GroupMark mark) {
    byte[] batch = new byte[bytes.length() + GroupMark.LENGTH];
    System.arraycopy(bytes.array(), 0, batch, 0, HEADER_LENGTH);
    INT_LE.set(batch, COUNT_OFFSET, count);
    System.arraycopy(
        bytes.array(),
        HEADER_LENGTH,
        batch,
        HEADER_LENGTH + GroupMark.LENGTH,
        bytes.length() - HEADER_LENGTH);
    mark.into(batch, HEADER_LENGTH);
    return batch;
  }

  private void begin(int tag, int columnFamily, GrowingBytes key) {
    bytes.addByte(tag);
    bytes.addVarint(columnFamily);
    bytes.addVarint(key.length());
    bytes.add(key);
    count++;
  }
}
