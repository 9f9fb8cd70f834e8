package dev.varve.bench.compare;

import java.io.IOException;
import java.time.Duration;

/** Waits until a server has finished its background work after the last write. */
final class Settling {
  private static final long LOOK_MILLIS = 500;

  private Settling() {}

  /**
   * Waits until the server has used hardly any processor time, and its files have kept their size,
   * for a time.
   *
   * @param quiet the required duration of this
   * @param atMost maximum time to wait
   * @return false if the server did not settle in time
   */
  static boolean await(Running server, Duration quiet, Duration atMost)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    long since = System.nanoTime();
    double cpu = server.figures().cpuSeconds();
    long disk = ProcessFigures.diskBytes(server.data());
    while (System.nanoTime() < deadline) {
      Thread.sleep(LOOK_MILLIS);
      long now = System.nanoTime();
      double cpuNow = server.figures().cpuSeconds();
      long diskNow = ProcessFigures.diskBytes(server.data());
      // One tick of the clock is 2 % of half a second, so the whole quiet time counts.
      boolean busy = cpuNow - cpu > server.product().idleCpu() * Math.max(1, (now - since) / 1e9);
      if (busy || diskNow != disk) {
        since = now;
        cpu = cpuNow;
        disk = diskNow;
      } else if (now - since >= quiet.toNanos()) {
        return true;
      }
    }
    return false;
  }
}
