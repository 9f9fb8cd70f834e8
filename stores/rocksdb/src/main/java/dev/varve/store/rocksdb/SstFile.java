package dev.varve.store.rocksdb;

import dev.varve.store.rocksdb.SstIndex.Block;
import dev.varve.store.rocksdb.SstIndex.Handle;
import dev.varve.store.rocksdb.wal.Manifest.TableFile;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a table file block by block, so that damaged blocks can be skipped. It also returns the
 * sequence number and type of each entry, which RocksDB's own file reader does not expose.
 */
final class SstFile {
  /*
   * entry of a data block := shared varint ‖ unshared varint ‖ length varint ‖ key ‖ value
   * key                   := user's key ‖ (sequence << 8 | type) u64le
   *
   * An entry of the block of range deletes has the same form: its key is the start of the range,
   * its value the end, exclusive.
   */
  private static final int VERSION_BYTES = 8;

  private final Path path;
  private final @Nullable TableFile bounds;
  private final SstIndex index;

  /**
   * One entry of a file.
   *
   * @param sequence the sequence number; among entries of one key a higher one is newer
   */
  record Entry(byte[] key, long sequence, int type, byte[] value) {
    static final int DELETE = 0;
    static final int PUT = 1;
    static final int SINGLE_DELETE = 7;
    static final int RANGE_DELETE = 15;
  }

  /**
   * Reads the index of a file.
   *
   * @param bounds what the MANIFEST says about the file; null if unknown
   * @throws IOException if the file cannot be read, is damaged or has another format
   */
  SstFile(Path path, @Nullable TableFile bounds) throws IOException {
    this.path = path;
    this.bounds = bounds;
    this.index = SstIndex.read(path);
  }

  Path path() {
    return path;
  }

  List<Block> blocks() {
    return index.blocks();
  }

  /** Returns the number of the column family. */
  long family() {
    return index.family();
  }

  /**
   * Returns the entries of a block in key order, newer ones first.
   *
   * @throws IOException if the block is damaged
   */
  List<Entry> read(Block block) throws IOException {
    return read(new Handle(block.offset(), block.size()));
  }

  /**
   * Returns the range deletes; the value of each is the end of its range. They apply only within
   * the bounds of the file: cells outside may have been written after the delete and have lost
   * their sequence numbers since.
   *
   * @throws IOException if they are damaged
   */
  List<Entry> rangeDeletes() throws IOException {
    Handle handle = index.rangeDeletes();
    if (handle == null) {
      return List.of();
    }
    List<Entry> within = new ArrayList<>();
    for (Entry delete : read(handle)) {
      byte[] from = delete.key();
      byte[] to = delete.value();
      if (bounds != null) {
        from = Arrays.compareUnsigned(from, bounds.smallest()) < 0 ? bounds.smallest() : from;
        to = Arrays.compareUnsigned(to, bounds.end()) > 0 ? bounds.end() : to;
      }
      if (Arrays.compareUnsigned(from, to) < 0) {
        within.add(new Entry(from, delete.sequence(), delete.type(), to));
      }
    }
    return within;
  }

  private List<Entry> read(Handle handle) throws IOException {
    int length = SstIndex.checked(handle.size());
    byte[] bytes = new byte[length + SstIndex.TRAILER];
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      SstIndex.part(channel, handle.offset(), bytes.length).get(bytes);
    }
    if (!index.checksum().matches(bytes, length, handle.offset())) {
      throw new IOException("the checksum does not match");
    }
    try {
      return entries(BlockCompression.expand(bytes, length, bytes[length]));
    } catch (IllegalArgumentException
        | IndexOutOfBoundsException
        | ArithmeticException
        | BufferUnderflowException e) {
      throw new IOException("a block of another format: " + e.getMessage(), e);
    }
  }

  private static List<Entry> entries(ByteBuffer block) {
    block.order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer rest = block.slice(0, SstIndex.entriesEnd(block));
    List<Entry> entries = new ArrayList<>();
    byte[] key = {};
    while (rest.hasRemaining()) {
      int shared = (int) SstIndex.varint(rest);
      int unshared = (int) SstIndex.varint(rest);
      int length = (int) SstIndex.varint(rest);
      key = SstIndex.next(rest, key, shared, unshared);
      byte[] value = new byte[length];
      rest.get(value);
      int plain = key.length - VERSION_BYTES;
      long version = ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN).getLong(plain);
      entries.add(
          new Entry(Arrays.copyOf(key, plain), version >>> 8, (int) (version & 0xff), value));
    }
    return entries;
  }
}
