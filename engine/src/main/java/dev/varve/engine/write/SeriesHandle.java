package dev.varve.engine.write;

import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.model.Kind;

/**
 * A series that samples of one kind can be added to without looking its key up: a field of a key
 * that the catalog durably knows. Holds no key, so that callers can keep many of them.
 *
 * <p>A handle never writes to a wrong series, but it may stop taking samples, for example because
 * their times lie outside the extent in the catalog, or because the series was removed. The caller
 * then writes the samples under the key and requests a new handle.
 */
public final class SeriesHandle {
  private final int number;
  private final int key;
  private final Kind kind;
  private final long from;
  private final long to;

  /** Number of keys that the catalog had removed at the last check that it still has the series. */
  private volatile long removals;

  /**
   * @param number the durable number of the series
   * @param key the number of its key in the index
   * @param kind of the samples
   * @param from the first time of the noted extent
   * @param to the time after the last of the noted extent
   * @param removals number of keys that the catalog had removed when the other values were read
   */
  SeriesHandle(int number, int key, Kind kind, long from, long to, long removals) {
    this.number = number;
    this.key = key;
    this.kind = kind;
    this.from = from;
    this.to = to;
    this.removals = removals;
  }

  int number() {
    return number;
  }

  int key() {
    return key;
  }

  /** Returns the kind of the samples: a number. */
  public Kind kind() {
    return kind;
  }

  /**
   * Returns whether the catalog has the series. A series that was removed and written again has
   * another number, and another handle.
   */
  boolean isIn(SeriesIndex index) {
    long now = index.removals();
    if (removals != now) {
      if (index.numbers().key(number) < 0) {
        return false;
      }
      removals = now;
    }
    return true;
  }

  /** Returns whether the durable extent of the series contains both times. */
  boolean covers(long first, long last) {
    return first >= from && last < to;
  }
}
