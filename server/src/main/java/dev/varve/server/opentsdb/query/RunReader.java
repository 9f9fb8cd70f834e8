package dev.varve.server.opentsdb.query;

import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.model.StaleMarker;

/**
 * Passes the numbers of one series through the stages of a query. Texts and the markers by which
 * Prometheus ends a series are skipped. Of several samples in one millisecond the last one counts.
 */
final class RunReader {
  private final Points points;
  private final PointSink first;
  private final Resolution resolution;

  /** Whether there is a newest point, which a later sample of the same millisecond may replace. */
  private boolean any;

  private long time;
  private boolean real;
  private long whole;
  private double number;

  /**
   * Creates a reader.
   *
   * @param points receives the points of the last stage
   * @param first the first stage
   * @param resolution the unit of the samples' times
   */
  RunReader(Points points, PointSink first, Resolution resolution) {
    this.points = points;
    this.first = first;
    this.resolution = resolution;
  }

  void take(Samples samples) {
    switch (samples.kind()) {
      case STRING -> {
        // OpenTSDB has numbers only.
      }
      case INT64 -> {
        for (int i = 0; i < samples.size(); i++) {
          next(samples.time(i));
          real = false;
          whole = samples.longAt(i);
        }
      }
      case DOUBLE -> {
        for (int i = 0; i < samples.size(); i++) {
          double value = samples.doubleAt(i);
          if (!StaleMarker.is(value)) {
            next(samples.time(i));
            real = true;
            number = value;
          }
        }
      }
    }
  }

  private void next(long sampleTime) {
    long millis = resolution.convert(sampleTime, Resolution.MILLISECONDS);
    if (any && millis != time) {
      pass();
    }
    any = true;
    time = millis;
  }

  private void pass() {
    if (real) {
      first.real(time, number);
    } else {
      first.whole(time, whole);
    }
  }

  /** Ends the series. Returns whether it had any number. */
  boolean end() {
    if (any) {
      pass();
      first.end();
    }
    return any;
  }

  Points points() {
    return points;
  }
}
