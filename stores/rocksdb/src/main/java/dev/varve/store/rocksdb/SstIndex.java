package dev.varve.store.rocksdb;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The data blocks of a table file: their positions and the keys they may hold. RocksDB has no call
 * that returns this, and without it the keys of a damaged block would be unknown.
 */
final class SstIndex {
  /*
   * footer, the last 53 bytes of a file of format 6 or later:
   *   checksum type   u8
   *   extended magic  3e 00 7a 00
   *   checksum        u32
   *   base context    u32
   *   metaindex size  u32          // the metaindex ends 5 bytes before the footer
   *   reserved        24 bytes
   *   format          u32
   *   magic           f7 cf f4 85 b7 41 e2 88
   *
   * block, followed by a byte of compression and four of checksum:
   *   entry*
   *   restart         u32 each
   *   restarts        u32          // the high bits are flags
   *
   * entry of the metaindex: shared, unshared, value length as varints; key; value
   * entry of the index:     shared, unshared as varints; key; handle
   *
   * The key of an index entry is not smaller than any key of its block and smaller than all keys of
   * the next block. Its handle is offset and size as varints or, after the first entry of a
   * restart, only the difference in size. If versions of one key lie in two blocks, the keys end
   * with their eight version bytes. The index must be stored uncompressed, which Database
   * configures.
   */
  private static final int FOOTER = 53;
  static final int TRAILER = 5;
  private static final int EXTENDED_MAGIC = 0x007a003e;
  private static final long MAGIC = 0x88e241b785f4cff7L;

  /**
   * The format of files that are written. The preceding format is the same in everything read here.
   */
  static final int FORMAT = 7;

  private static final int FORMAT_MIN = 6;
  private static final int BLOCK_MAX = 1 << 30;
  private static final int RESTARTS_MASK = (1 << 28) - 1;
  private static final String INDEX = "rocksdb.index";
  private static final String PROPERTIES = "rocksdb.properties";
  private static final String PLAIN_KEYS = "rocksdb.index.key.is.user.key";
  private static final int VERSION_BYTES = 8;

  private static final String FAMILY = "rocksdb.column.family.id";
  private static final String RANGE_DELETES = "rocksdb.range_del";

  private final List<Block> blocks;
  private final BlockChecksum checksum;
  private final long family;
  private final @Nullable Handle rangeDeletes;

  private SstIndex(
      List<Block> blocks, BlockChecksum checksum, long family, @Nullable Handle rangeDeletes) {
    this.blocks = List.copyOf(blocks);
    this.checksum = checksum;
    this.family = family;
    this.rangeDeletes = rangeDeletes;
  }

  /**
   * The position of a block.
   *
   * @param size size in bytes, without the trailer
   */
  record Handle(long offset, long size) {}

  /**
   * A data block.
   *
   * @param after lower bound of the block's keys, inclusive; null for the first block
   * @param last upper bound of the block's keys, inclusive
   * @param size size in bytes, without the trailer
   */
  record Block(byte @Nullable [] after, byte[] last, long offset, long size) {}

  /**
   * Reads the index of a file.
   *
   * @throws IOException if the file cannot be read, is damaged, or has another format
   */
  static SstIndex read(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer footer = part(channel, channel.size() - FOOTER, FOOTER);
      int format = footer.getInt(FOOTER - 12);
      if (footer.getLong(FOOTER - 8) != MAGIC
          || footer.getInt(1) != EXTENDED_MAGIC
          || format < FORMAT_MIN
          || format > FORMAT) {
        throw new IOException("its footer is damaged or of another format");
      }
      BlockChecksum checksum = new BlockChecksum(footer.get(0), footer.getInt(9));
      int size = footer.getInt(13);
      long at = channel.size() - FOOTER - TRAILER - size;
      ByteBuffer metaindex = block(channel, new Handle(at, size), checksum);
      ByteBuffer properties = block(channel, handle(find(metaindex, PROPERTIES)), checksum);
      int extra = varint(find(properties, PLAIN_KEYS)) == 0 ? VERSION_BYTES : 0;
      ByteBuffer index = block(channel, handle(find(metaindex, INDEX)), checksum);
      ByteBuffer deletes = findOrNull(metaindex, RANGE_DELETES);
      return new SstIndex(
          blocks(index, extra),
          checksum,
          varint(find(properties, FAMILY)),
          deletes == null ? null : handle(deletes));
    } catch (IllegalArgumentException | IndexOutOfBoundsException | BufferUnderflowException e) {
      throw new IOException("its index is damaged: " + e.getMessage(), e);
    }
  }

  /** Returns the blocks in file order, which is key order. */
  List<Block> blocks() {
    return blocks;
  }

  /** Returns the block that starts at an offset; null if there is none. */
  @Nullable Block at(long offset) {
    return blocks.stream().filter(block -> block.offset() == offset).findFirst().orElse(null);
  }

  BlockChecksum checksum() {
    return checksum;
  }

  /** Returns the number of the column family. */
  long family() {
    return family;
  }

  /** Returns the position of the range deletes; null if there are none. */
  @Nullable Handle rangeDeletes() {
    return rangeDeletes;
  }

  private static Handle handle(ByteBuffer bytes) {
    return new Handle(varint(bytes), varint(bytes));
  }

  static ByteBuffer part(FileChannel channel, long at, int length) throws IOException {
    if (at < 0 || at + length > channel.size()) {
      throw new IOException("it is too short");
    }
    ByteBuffer part = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    while (part.hasRemaining()) {
      if (channel.read(part, at + part.position()) < 0) {
        throw new IOException("it is too short");
      }
    }
    return part.flip();
  }

  private static ByteBuffer block(FileChannel channel, Handle handle, BlockChecksum checksum)
      throws IOException {
    int length = checked(handle.size());
    ByteBuffer block = part(channel, handle.offset(), length + TRAILER);
    byte[] bytes = new byte[length + TRAILER];
    block.get(0, bytes);
    if (!checksum.matches(bytes, length, handle.offset())) {
      throw new IOException(
          "the checksum of its block at offset %d does not match".formatted(handle.offset()));
    }
    if (block.get(length) != 0) {
      throw new IOException("its index is compressed");
    }
    return block.slice(0, length).order(ByteOrder.LITTLE_ENDIAN);
  }

  static int checked(long size) throws IOException {
    if (size < 4 || size > BLOCK_MAX) {
      throw new IOException("one of its blocks has an invalid size of %d bytes".formatted(size));
    }
    return (int) size;
  }

  /** Returns the index after the last entry of a block. */
  static int entriesEnd(ByteBuffer block) {
    int restarts = block.getInt(block.limit() - 4) & RESTARTS_MASK;
    return Math.subtractExact(block.limit() - 4, Math.multiplyExact(4, restarts));
  }

  /** Returns the value of an entry. */
  private static ByteBuffer find(ByteBuffer block, String name) throws IOException {
    ByteBuffer found = findOrNull(block, name);
    if (found == null) {
      throw new IOException("it has no " + name);
    }
    return found;
  }

  private static @Nullable ByteBuffer findOrNull(ByteBuffer block, String name) {
    byte[] wanted = name.getBytes(StandardCharsets.US_ASCII);
    byte[] key = {};
    ByteBuffer entries = block.slice(0, entriesEnd(block));
    while (entries.hasRemaining()) {
      int shared = (int) varint(entries);
      int unshared = (int) varint(entries);
      int length = (int) varint(entries);
      key = next(entries, key, shared, unshared);
      if (Arrays.equals(key, wanted)) {
        return entries.slice(entries.position(), length);
      }
      entries.position(entries.position() + length);
    }
    return null;
  }

  private static List<Block> blocks(ByteBuffer block, int extra) {
    List<Block> blocks = new ArrayList<>();
    ByteBuffer index = block.slice(0, entriesEnd(block));
    byte[] key = {};
    byte @Nullable [] before = null;
    long offset = 0;
    long size = 0;
    while (index.hasRemaining()) {
      int shared = (int) varint(index);
      int unshared = (int) varint(index);
      key = next(index, key, shared, unshared);
      if (shared == 0) {
        offset = varint(index);
        size = varint(index);
      } else {
        offset += size + TRAILER;
        long difference = varint(index);
        size += difference >>> 1 ^ -(difference & 1);
      }
      byte[] last = Arrays.copyOf(key, key.length - extra);
      blocks.add(new Block(before, last, offset, size));
      before = last;
    }
    return blocks;
  }

  static byte[] next(ByteBuffer block, byte[] key, int shared, int unshared) {
    byte[] next = Arrays.copyOf(Arrays.copyOf(key, shared), shared + unshared);
    block.get(next, shared, unshared);
    return next;
  }

  static long varint(ByteBuffer from) {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      byte next = from.get();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("a number has no end");
  }
}
