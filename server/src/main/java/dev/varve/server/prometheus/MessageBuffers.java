package dev.varve.server.prometheus;

import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * A pool of arrays for decompressed messages. Without it, messages of some megabytes would cause
 * most of the garbage. Thread-safe.
 */
final class MessageBuffers {
  private static final int KEPT = 4;
  private static final int BYTES_MIN = 1 << 16;
  private static final int BYTES_MAX = 4 << 20;

  private final int bytesMax;
  private final Queue<byte[]> kept = new ArrayBlockingQueue<>(KEPT);

  /**
   * @param bytes memory that unused arrays may take
   */
  MessageBuffers(long bytes) {
    this.bytesMax = (int) Math.min(BYTES_MAX, bytes / KEPT);
  }

  /** Returns an array of at least a length, with any content. */
  byte[] take(int length) {
    if (length > bytesMax) {
      return new byte[length];
    }
    byte[] before = kept.poll();
    if (before != null && before.length >= length) {
      return before;
    }
    // Powers of two, so that messages of similar lengths share arrays.
    int rounded = Math.max(BYTES_MIN, Integer.highestOneBit(Math.max(1, length - 1)) << 1);
    return new byte[Math.min(bytesMax, rounded)];
  }

  /** Gives an array back. The caller must not use it any more. */
  void giveBack(byte[] buffer) {
    if (buffer.length <= bytesMax) {
      kept.offer(buffer);
    }
  }
}
