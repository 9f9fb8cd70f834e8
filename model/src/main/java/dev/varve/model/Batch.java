package dev.varve.model;

import java.util.List;

/**
 * A unit of writing: groups of samples, and attributes. Times are in the resolution of the target
 * dataset.
 */
public record Batch(List<SampleGroup> groups, List<Attribute> attributes) {
  public Batch {
    groups = List.copyOf(groups);
    attributes = List.copyOf(attributes);
  }

  public static Batch of(SampleGroup... groups) {
    return new Batch(List.of(groups), List.of());
  }

  public int sampleCount() {
    int count = 0;
    for (SampleGroup group : groups) {
      count += group.sampleCount();
    }
    return count;
  }
}
