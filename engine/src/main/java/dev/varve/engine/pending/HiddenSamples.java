package dev.varve.engine.pending;

import dev.varve.model.Samples;
import dev.varve.model.TimeRange;
import java.util.List;

/** The hidden samples of one field of a series. */
public final class HiddenSamples {
  private final List<Span> spans;

  /**
   * The samples that one delete hides.
   *
   * @param stamp the highest stamp of a hidden sample
   */
  record Span(TimeRange times, long stamp) {}

  HiddenSamples(List<Span> spans) {
    this.spans = spans;
  }

  /** Returns hidden samples that include all samples in a range of times. */
  public static HiddenSamples all(TimeRange times) {
    return new HiddenSamples(List.of(new Span(times, Long.MAX_VALUE)));
  }

  /** Returns whether a sample is hidden. Samples without a stamp count as written before. */
  public boolean contains(long time, long stamp) {
    for (int i = 0; i < spans.size(); i++) {
      Span span = spans.get(i);
      if (stamp <= span.stamp() && span.times().contains(time)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether samples with one stamp may be hidden.
   *
   * @param first the time of the first
   * @param last the time of the last
   */
  public boolean overlaps(long first, long last, long stamp) {
    for (Span span : spans) {
      if (stamp <= span.stamp() && first < span.times().to() && last >= span.times().from()) {
        return true;
      }
    }
    return false;
  }

  /** Returns how many samples of a vector are hidden. */
  public int count(Samples samples) {
    int hidden = 0;
    for (int i = 0; i < samples.size(); i++) {
      hidden += contains(samples.time(i), samples.stamp(i)) ? 1 : 0;
    }
    return hidden;
  }
}
