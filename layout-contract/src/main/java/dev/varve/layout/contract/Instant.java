package dev.varve.layout.contract;

import dev.varve.model.Kind;

/** Where a sample stands within its series: a series may have one of each kind at a time. */
public record Instant(long time, Kind kind) implements Comparable<Instant> {
  @Override
  public int compareTo(Instant other) {
    int order = Long.compare(time, other.time);
    return order == 0 ? kind.compareTo(other.kind) : order;
  }
}
