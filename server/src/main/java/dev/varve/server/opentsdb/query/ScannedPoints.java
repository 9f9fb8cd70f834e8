package dev.varve.server.opentsdb.query;

/**
 * Drops the points before the scanned range. A bucket that is filled may begin there; the rate of
 * the next one is computed against it, and is then the first rate, which OpenTSDB does not show.
 *
 * @param from start of the scanned range, in milliseconds since 1970
 */
record ScannedPoints(long from, PointSink next) implements PointSink {
  @Override
  public void whole(long time, long value) {
    if (time >= from) {
      next.whole(time, value);
    }
  }

  @Override
  public void real(long time, double value) {
    if (time >= from) {
      next.real(time, value);
    }
  }

  @Override
  public void end() {
    next.end();
  }
}
