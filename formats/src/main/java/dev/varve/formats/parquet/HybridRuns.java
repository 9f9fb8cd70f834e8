package dev.varve.formats.parquet;

import java.io.ByteArrayOutputStream;

/**
 * Small integers as runs of equal ones and as groups of eight packed ones, Parquet's encoding RLE.
 */
final class HybridRuns {
  private static final int GROUP = 8;

  /** Keeps the header of packed groups in one byte. */
  private static final int GROUPS_MAX = 63;

  private final int width;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream packed = new ByteArrayOutputStream();
  private final long[] group = new long[GROUP];
  private int grouped;
  private int groups;
  private long run;
  private int value;

  /** Begins, for values with a maximum number of bits. */
  HybridRuns(int width) {
    this.width = width;
  }

  void add(int next) {
    add(next, 1);
  }

  /** Adds a value several times. */
  void add(int next, long times) {
    if (next != value) {
      endRun();
      value = next;
    }
    run += times;
  }

  /** Packs a short run, and writes a long one after what completes the group before it. */
  private void endRun() {
    while (run > 0 && (grouped > 0 || run < GROUP)) {
      group[grouped++] = value;
      run--;
      if (grouped == GROUP) {
        pack();
      }
    }
    if (run > 0) {
      endPacked();
      Bits.varint(out, run << 1);
      Bits.littleEndian(out, value, (width + 7) / 8);
      run = 0;
    }
  }

  private void pack() {
    Bits.pack(packed, group, GROUP, width);
    grouped = 0;
    groups++;
    if (groups == GROUPS_MAX) {
      endPacked();
    }
  }

  private void endPacked() {
    if (groups > 0) {
      Bits.varint(out, ((long) groups << 1) | 1);
      out.writeBytes(packed.toByteArray());
      packed.reset();
      groups = 0;
    }
  }

  /** Ends and returns the bytes. The last group is padded with zeros, which readers ignore. */
  byte[] end() {
    endRun();
    if (grouped > 0) {
      while (grouped < GROUP) {
        group[grouped++] = 0;
      }
      pack();
    }
    endPacked();
    return out.toByteArray();
  }
}
