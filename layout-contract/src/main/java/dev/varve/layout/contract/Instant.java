package dev.varve.layout.contract;

import dev.varve.model.Kind;

/** The position of a sample in its series, which may have one sample of each kind at a time. */
public record Instant(long time, Kind kind) implements Comparable<Instant> {
  @Override
  public int compareTo(Instant other) {
    int order = Long.compare(time, other.time);
    return order == 0 ? kind.compareTo(other.kind) : order;
  }
}
