package dev.varve.server.compression;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/**
 * Finds the largest window that the frames of a body require, from their headers. A small body
 * needs a small window, while a decoder must support up to 8 MiB. Source: <a
 * href="https://www.rfc-editor.org/rfc/rfc8878">RFC 8878</a>, section 3.1.
 */
public final class ZstdWindow {
  private static final int MAGIC = 0xFD2FB528;
  private static final int SKIPPABLE = 0x184D2A50;
  private static final int SKIPPABLE_MASK = 0xFFFFFFF0;
  private static final int RLE = 1;

  private final InputStream in;
  private final long max;
  private long largest;

  private ZstdWindow(InputStream in, long max) {
    this.in = in;
    this.max = max;
  }

  /**
   * Returns the largest window of any frame, in bytes.
   *
   * @param max maximum window of the decoder; also returned for bytes that are not zstd, which the
   *     decoder will report
   */
  public static long of(InputStream frames, long max) throws IOException {
    ZstdWindow window = new ZstdWindow(frames, max);
    try {
      while (window.frame()) {
        // The next frame may need more.
      }
    } catch (EOFException e) {
      // A truncated body needs no more than its frames so far.
      return window.largest;
    }
    return window.largest;
  }

  /** Skips a frame; false after the last one. */
  private boolean frame() throws IOException {
    int first = in.read();
    if (first < 0) {
      return false;
    }
    int magic = first | (int) (number(3) << 8);
    if ((magic & SKIPPABLE_MASK) == SKIPPABLE) {
      in.skipNBytes(number(4));
      return true;
    }
    if (magic != MAGIC) {
      largest = max;
      return false;
    }
    int descriptor = (int) number(1);
    boolean single = (descriptor & 0x20) != 0;
    long window = single ? 0 : window((int) number(1));
    number(new int[] {0, 1, 2, 4}[descriptor & 3]);
    int sizeFlag = descriptor >>> 6;
    long size = number(sizeFlag == 0 ? (single ? 1 : 0) : 1 << sizeFlag);
    if (single) {
      window = size < 0 ? max : size + (sizeFlag == 1 ? 256 : 0);
    }
    largest = Math.max(largest, Math.min(max, window));
    passBlocks();
    in.skipNBytes((descriptor & 4) != 0 ? 4 : 0);
    return true;
  }

  private void passBlocks() throws IOException {
    boolean last = false;
    while (!last) {
      int header = (int) number(3);
      last = (header & 1) != 0;
      in.skipNBytes((header >>> 1 & 3) == RLE ? 1 : header >>> 3);
    }
  }

  private static long window(int descriptor) {
    long base = 1L << (10 + (descriptor >>> 3));
    return base + base / 8 * (descriptor & 7);
  }

  /** Reads a little-endian number; eight bytes that exceed a long become negative. */
  private long number(int width) throws IOException {
    long number = 0;
    for (int i = 0; i < width; i++) {
      int b = in.read();
      if (b < 0) {
        throw new EOFException();
      }
      number |= (long) b << (8 * i);
    }
    return number;
  }
}
