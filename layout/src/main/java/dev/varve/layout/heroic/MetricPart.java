package dev.varve.layout.heroic;

import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;

/** The metric, which Heroic calls the key of a series. */
record MetricPart() implements KeyPart {
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
    out.raw(((HeroicBinding) input.binding()).metric());
  }

  @Override
  public int decode(byte[] row, int from, int to, KeyOutput out) {
    int end = skip(row, from, to);
    out.metric(HeroicText.read(row, from, end, true));
    return end;
  }

  @Override
  public int skip(byte[] row, int from, int to) {
    return HeroicText.end(row, from, to, true);
  }

  @Override
  public String show(byte[] row, int from, int to) {
    return HeroicText.read(row, from, to, true);
  }
}
