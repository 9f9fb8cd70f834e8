package dev.varve.model;

import java.util.List;

/**
 * What is written together: groups of samples, and attributes. Times are in the resolution of the
 * dataset that it goes to.
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
