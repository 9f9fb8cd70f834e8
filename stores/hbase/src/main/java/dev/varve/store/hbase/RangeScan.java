package dev.varve.store.hbase;

import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Result;
import org.jspecify.annotations.Nullable;

/** The cells of one stretch, one by one. */
final class RangeScan {
  private final ScanRange stretch;
  private final ScanFeed feed;
  private Result[] answer = {};
  private int result;
  private int cell;

  RangeScan(ScanRange stretch, ScanFeed feed) {
    this.stretch = stretch;
    this.feed = feed;
  }

  ScanRange stretch() {
    return stretch;
  }

  /** Returns the current cell; null at the end, or if the scan was stopped. */
  @Nullable Cell peek() throws FailedCallException, InterruptedException {
    while (true) {
      while (result < answer.length) {
        Cell[] cells = answer[result].rawCells();
        if (cells != null && cell < cells.length) {
          return cells[cell];
        }
        result++;
        cell = 0;
      }
      Result[] next = feed.take();
      if (next == null) {
        return null;
      }
      answer = next;
      result = 0;
    }
  }

  /** Moves past the current cell. */
  void pass() {
    cell++;
  }

  long requests() {
    return feed.requests();
  }

  void stop() {
    feed.stop();
  }
}
