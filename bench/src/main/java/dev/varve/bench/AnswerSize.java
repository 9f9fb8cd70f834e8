package dev.varve.bench;

import java.io.OutputStream;

/**
 * Counts the series and points of a matrix in Prometheus' JSON while it arrives. Each series has a
 * member {@code "values"}, and a bracket before a digit starts a point. Brackets in texts would be
 * counted too, but the measured series have none.
 */
final class AnswerSize extends OutputStream {
  private static final String SERIES = "\"values\"";

  private long series;
  private long points;
  private int last;
  private int matched;

  @Override
  public void write(int next) {
    if (last == '[' && next >= '0' && next <= '9') {
      points++;
    }
    matched = next == SERIES.charAt(matched) ? matched + 1 : next == '"' ? 1 : 0;
    if (matched == SERIES.length()) {
      series++;
      matched = 0;
    }
    last = next;
  }

  long series() {
    return series;
  }

  long points() {
    return points;
  }

  @Override
  public String toString() {
    return "%,d series of %,d points".formatted(series, points);
  }
}
