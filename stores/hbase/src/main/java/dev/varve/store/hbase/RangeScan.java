package dev.varve.store.hbase;

import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Result;
import org.jspecify.annotations.Nullable;

/** The cells of one scan, one by one: of a stretch, or of several rows. */
final class RangeScan {
  private final List<ScanRange> stretches;
  private final ScanFeed feed;
  private int stretch;
  private Result[] answer = {};
  private int result;
  private int cell;

  /**
   * Creates a scan.
   *
   * @param stretches one, or several rows in ascending order
   */
  RangeScan(List<ScanRange> stretches, ScanFeed feed) {
    this.stretches = stretches;
    this.feed = feed;
  }

  /** Returns the stretch of the current cell. */
  ScanRange stretch() {
    return stretches.get(stretch);
  }

  /** Returns the current cell; null at the end, or if the scan was stopped. */
  @Nullable Cell peek() throws FailedCallException, InterruptedException {
    while (true) {
      while (result < answer.length) {
        Cell[] cells = answer[result].rawCells();
        if (cells != null && cell < cells.length) {
          if (cell == 0) {
            move(cells[0]);
          }
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

  /** Moves to the stretch of a cell. */
  private void move(Cell to) {
    while (stretch < stretches.size() - 1
        && stretches
                .get(stretch)
                .fromRow()
                .compareTo(to.getRowArray(), to.getRowOffset(), to.getRowLength())
            < 0) {
      stretch++;
    }
  }

  /** Returns whether the current cell is the first of an answer, so that its row may be new. */
  boolean startsResult() {
    return cell == 0;
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
