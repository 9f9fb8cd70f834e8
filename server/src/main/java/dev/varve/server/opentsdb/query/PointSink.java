package dev.varve.server.opentsdb.query;

/** Receives the points of one series in ascending order of time, in milliseconds since 1970. */
public interface PointSink {
  void whole(long time, long value);

  void real(long time, double value);

  /** Ends the series. */
  default void end() {}
}
