package dev.varve.server.prometheus;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;

/**
 * <a href="https://github.com/google/snappy/blob/main/format_description.txt">Snappy's block
 * format</a>, which remote write and remote read use for messages.
 *
 * <p>Both directions are implemented in Java. A native codec would need the bytes outside the heap
 * because the JVM may move an array while native code uses it (JDK-8377811).
 */
final class SnappyBlock {
  /** Maximum expansion, rounded up: a copy encodes 64 bytes in three. */
  private static final int EXPANSION_MAX = 22;

  /**
   * Size of the fragments in which content is compressed, in bytes; copies refer only to their own
   * fragment.
   */
  private static final int FRAGMENT = 1 << 16;

  /** The compressor checks after this many bytes of content whether the block is still wanted. */
  private static final int PART = 1 << 20;

  /** The last bytes of a fragment contain no copies, so that matching may read whole words. */
  private static final int MARGIN = 15;

  private static final int HASH_BITS = 14;

  /** Bytes of two words, by which short literals are copied. */
  private static final int WORDS = 2 * Long.BYTES;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private SnappyBlock() {}

  /**
   * Compresses content into a block.
   *
   * @param between runs once per MiB of content; throws if the block is no longer wanted
   */
  static byte[] pack(byte[] content, Runnable between) {
    Packer packer = new Packer(content);
    for (int from = 0; from < content.length; from += FRAGMENT) {
      if (from % PART == 0) {
        between.run();
      }
      packer.fragment(from, Math.min(content.length, from + FRAGMENT));
    }
    return packer.block();
  }

  /**
   * Decompresses a block.
   *
   * @param announced receives the length of the content in bytes before it is allocated; may throw
   *     to reject it
   * @throws IOException if the bytes are not a valid block
   */
  static byte[] unpack(byte[] block, LongConsumer announced) throws IOException {
    return unpack(block, announced, byte[]::new).bytes();
  }

  /**
   * Content of a block.
   *
   * @param bytes may be longer than the content
   * @param length bytes of the content
   */
  record Content(byte[] bytes, int length) {}

  /**
   * Like {@link #unpack(byte[], LongConsumer)}, into an array of the caller.
   *
   * @param arrays returns an array of at least the given length
   */
  static Content unpack(byte[] block, LongConsumer announced, IntFunction<byte[]> arrays)
      throws IOException {
    long length = 0;
    int in = 0;
    int shift = 0;
    int last;
    do {
      if (in == block.length || shift > 28) {
        throw new IOException("no length at the start of a block");
      }
      last = block[in++];
      length |= (long) (last & 0x7f) << shift;
      shift += 7;
    } while (last < 0);
    if (length > (long) EXPANSION_MAX * block.length || length > Integer.MAX_VALUE - 8) {
      throw new IOException("a length of %d in %d bytes".formatted(length, block.length));
    }
    announced.accept(length);
    byte[] content = arrays.apply((int) length);
    unpack(block, in, content, (int) length);
    return new Content(content, (int) length);
  }

  private static void unpack(byte[] block, int start, byte[] content, int end) throws IOException {
    int in = start;
    int out = 0;
    while (in < block.length) {
      int tag = block[in++] & 0xff;
      int type = tag & 3;
      if (type == 0) {
        int length = (tag >>> 2) + 1;
        if (length > 60) {
          int bytes = length - 60;
          length = number(block, in, bytes) + 1;
          in += bytes;
        }
        if (length <= 0 || length > block.length - in || length > end - out) {
          throw new IOException("a literal of %d bytes at %d".formatted(length, in));
        }
        if (length <= WORDS && in + WORDS <= block.length && out + WORDS <= end) {
          // Most literals are short; what is written past them is written again.
          LONG.set(content, out, (long) LONG.get(block, in));
          LONG.set(content, out + Long.BYTES, (long) LONG.get(block, in + Long.BYTES));
        } else {
          System.arraycopy(block, in, content, out, length);
        }
        in += length;
        out += length;
        continue;
      }
      int length;
      int offset;
      if (type == 1) {
        length = ((tag >>> 2) & 7) + 4;
        offset = (tag >>> 5) << 8 | number(block, in, 1);
        in += 1;
      } else {
        int bytes = type == 2 ? 2 : 4;
        length = (tag >>> 2) + 1;
        offset = number(block, in, bytes);
        in += bytes;
      }
      if (offset <= 0 || offset > out || length > end - out) {
        throw new IOException("a copy of %d bytes from %d before".formatted(length, offset));
      }
      copy(content, out, offset, length, end);
      out += length;
    }
    if (out != end) {
      throw new IOException("%d bytes of %d".formatted(out, end));
    }
  }

  private static int number(byte[] block, int at, int bytes) throws IOException {
    if (bytes > block.length - at) {
      throw new IOException("a block that ends within a tag");
    }
    int number = 0;
    for (int i = 0; i < bytes; i++) {
      number |= (block[at + i] & 0xff) << (8 * i);
    }
    return number;
  }

  /** Copies from {@code offset} bytes earlier; source and destination may overlap. */
  private static void copy(byte[] content, int out, int offset, int length, int end) {
    int from = out - offset;
    // Words may write past the end of the copy: later bytes are not written yet.
    if (offset >= Long.BYTES && out + length + Long.BYTES <= end) {
      for (int i = 0; i < length; i += Long.BYTES) {
        LONG.set(content, out + i, (long) LONG.get(content, from + i));
      }
    } else {
      for (int i = 0; i < length; i++) {
        content[out + i] = content[from + i];
      }
    }
  }

  /** Compresses the fragments of one content. Greedy: takes the first match that it finds. */
  private static final class Packer {
    private final byte[] content;

    /** Last position of four bytes by their hash, relative to the start of the fragment. */
    private final short[] seen;

    private final int shift;
    private byte[] block;
    private int size;

    Packer(byte[] content) {
      this.content = content;
      int bits = 8;
      while (bits < HASH_BITS && 1 << bits < content.length) {
        bits++;
      }
      seen = new short[1 << bits];
      shift = Integer.SIZE - bits;
      block = new byte[16 + Math.min(content.length, FRAGMENT)];
      int rest = content.length;
      while (rest >= 0x80) {
        block[size++] = (byte) (rest | 0x80);
        rest >>>= 7;
      }
      block[size++] = (byte) rest;
    }

    byte[] block() {
      return Arrays.copyOf(block, size);
    }

    void fragment(int start, int end) {
      // The maximum size of a compressed fragment: only literals.
      reserve(end - start + (end - start) / 6 + 32);
      Arrays.fill(seen, (short) 0);
      int literal = start;
      int limit = end - MARGIN;
      int at = start + 1;
      // Steps grow while nothing matches, so that incompressible content costs little.
      int misses = 32;
      while (at < limit) {
        int word = (int) INT.get(content, at);
        int slot = hash(word);
        int candidate = start + (seen[slot] & 0xffff);
        seen[slot] = (short) (at - start);
        if (word != (int) INT.get(content, candidate)) {
          at += misses++ >>> 5;
          continue;
        }
        literal(literal, at);
        int length = 4 + matching(candidate + 4, at + 4, end);
        copy(at - candidate, length);
        at += length;
        literal = at;
        misses = 32;
        if (at < limit) {
          seen[hash((int) INT.get(content, at - 1))] = (short) (at - 1 - start);
        }
      }
      literal(literal, end);
    }

    private int hash(int word) {
      return (word * 0x1e35a7bd) >>> shift;
    }

    private int matching(int from, int at, int end) {
      int length = 0;
      while (at + length + Long.BYTES <= end) {
        long difference =
            (long) LONG.get(content, from + length) ^ (long) LONG.get(content, at + length);
        if (difference != 0) {
          return length + (Long.numberOfTrailingZeros(difference) >>> 3);
        }
        length += Long.BYTES;
      }
      while (at + length < end && content[from + length] == content[at + length]) {
        length++;
      }
      return length;
    }

    private void literal(int from, int to) {
      int length = to - from;
      if (length == 0) {
        return;
      }
      int n = length - 1;
      if (n < 60) {
        block[size++] = (byte) (n << 2);
      } else if (n < 1 << 8) {
        block[size++] = (byte) (60 << 2);
        block[size++] = (byte) n;
      } else {
        block[size++] = (byte) (61 << 2);
        block[size++] = (byte) n;
        block[size++] = (byte) (n >>> 8);
      }
      System.arraycopy(content, from, block, size, length);
      size += length;
    }

    private void copy(int offset, int length) {
      int rest = length;
      // The last copy must have at least 4 bytes, the minimum of the short form.
      while (rest >= 68) {
        longCopy(offset, 64);
        rest -= 64;
      }
      if (rest > 64) {
        longCopy(offset, 60);
        rest -= 60;
      }
      if (rest < 12 && offset < 1 << 11) {
        block[size++] = (byte) ((offset >>> 8) << 5 | (rest - 4) << 2 | 1);
        block[size++] = (byte) offset;
      } else {
        longCopy(offset, rest);
      }
    }

    private void longCopy(int offset, int length) {
      block[size++] = (byte) ((length - 1) << 2 | 2);
      block[size++] = (byte) offset;
      block[size++] = (byte) (offset >>> 8);
    }

    private void reserve(int bytes) {
      if (bytes > block.length - size) {
        int least = Math.addExact(size, bytes);
        block =
            Arrays.copyOf(block, (int) Math.min(Integer.MAX_VALUE - 8, Math.max(least, 2L * size)));
      }
    }
  }
}
