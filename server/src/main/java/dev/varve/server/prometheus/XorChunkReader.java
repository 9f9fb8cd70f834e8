package dev.varve.server.prometheus;

import dev.varve.model.Samples;
import java.io.EOFException;
import java.io.IOException;

/** Reads the samples of a chunk in the form of {@link XorChunk}. Used once. */
final class XorChunkReader {
  private static final int HEADER = 2;

  private final byte[] bytes;
  private int at = 8 * HEADER;
  private long value;
  private int leading;
  private int trailing;

  XorChunkReader(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * Adds the samples to a vector of doubles.
   *
   * @throws IOException if the chunk ends too early
   */
  void read(Samples into) throws IOException {
    if (bytes.length < HEADER) {
      throw new EOFException("a chunk of %d bytes".formatted(bytes.length));
    }
    int count = (bytes[0] & 0xff) << 8 | (bytes[1] & 0xff);
    long time = 0;
    long delta = 0;
    for (int i = 0; i < count; i++) {
      if (i == 0) {
        long zigzag = uvarint();
        time = (zigzag >>> 1) ^ -(zigzag & 1);
        value = bits(64);
      } else {
        delta = i == 1 ? uvarint() : delta + differenceOfDifferences();
        time += delta;
        change();
      }
      into.add(time, Double.longBitsToDouble(value), 0);
    }
  }

  private long differenceOfDifferences() throws IOException {
    int width = 0;
    while (width < 4 && bits(1) == 1) {
      width++;
    }
    return switch (width) {
      case 0 -> 0;
      case 1 -> signed(14);
      case 2 -> signed(17);
      case 3 -> signed(20);
      default -> bits(64);
    };
  }

  /** Reads a number of which the highest value of that width is positive. */
  private long signed(int width) throws IOException {
    long number = bits(width);
    return number > 1L << (width - 1) ? number - (1L << width) : number;
  }

  private void change() throws IOException {
    if (bits(1) == 0) {
      return;
    }
    if (bits(1) == 1) {
      leading = (int) bits(5);
      int length = (int) bits(6);
      trailing = 64 - leading - (length == 0 ? 64 : length);
    }
    if (trailing < 0) {
      throw new IOException("a chunk has a value of more than 64 bits");
    }
    value ^= bits(64 - leading - trailing) << trailing;
  }

  private long uvarint() throws IOException {
    long number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      long next = bits(8);
      number |= (next & 0x7f) << shift;
      if (next < 0x80) {
        return number;
      }
    }
    throw new IOException("a chunk has a time of more than 64 bits");
  }

  private long bits(int width) throws IOException {
    long number = 0;
    int left = width;
    while (left > 0) {
      if (at >> 3 >= bytes.length) {
        throw new EOFException("a chunk ends within its samples");
      }
      int free = 8 - (at & 7);
      int taken = Math.min(free, left);
      int part = (bytes[at >> 3] & 0xff) >>> (free - taken) & ((1 << taken) - 1);
      number = number << taken | part;
      at += taken;
      left -= taken;
    }
    return number;
  }
}
