package dev.varve.layout.kairosdb;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;
import java.nio.charset.StandardCharsets;

/** The metric in UTF-8, ended by a zero byte. */
final class MetricPart implements KeyPart {
  @Override
  public String label() {
    return "metric";
  }

  @Override
  public Role role() {
    return Role.METRIC;
  }

  @Override
  public void encode(KeyInput input, KeyBytes out) {
    out.raw(((KairosDbBinding) input.binding()).metricInKey());
  }

  @Override
  public int decode(byte[] row, int from, int to, KeyOutput out) {
    int next = skip(row, from, to);
    out.metric(show(row, from, next));
    return next;
  }

  @Override
  public int skip(byte[] row, int from, int to) {
    int end = from;
    while (end < to && row[end] != 0) {
      end++;
    }
    if (end == to) {
      throw new DamagedCellException("row key: no byte 00 ends the metric");
    }
    if (end == from) {
      throw new DamagedCellException("row key: the metric at byte " + from + " is empty");
    }
    int malformed = Utf8.malformedAt(row, from, end);
    if (malformed >= 0) {
      throw new DamagedCellException(
          "row key: byte %d, %02x, of the metric is not UTF-8"
              .formatted(malformed, row[malformed]));
    }
    return end + 1;
  }

  @Override
  public String show(byte[] row, int from, int to) {
    return new String(row, from, to - 1 - from, StandardCharsets.UTF_8);
  }
}
