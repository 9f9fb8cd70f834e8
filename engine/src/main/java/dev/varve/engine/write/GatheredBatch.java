package dev.varve.engine.write;

import dev.varve.engine.periods.Period;
import dev.varve.model.Attribute;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A batch sorted by series and period, as a destination writes it.
 *
 * @param parts samples of one series in one period each, in the order in which they arrived
 * @param tally counts the samples that the destination refuses
 * @param lifetime after which the samples expire; null for never
 * @param stamp first of enough stamps that were reserved for the batch; 0 to take new ones
 */
record GatheredBatch(
    List<Part> parts,
    List<Noted> attributes,
    RefusedSamples tally,
    @Nullable Duration lifetime,
    long stamp) {

  /**
   * An attribute and where it belongs.
   *
   * @param attribute under the key of its series as it is stored
   */
  record Noted(KnownSeries series, Period period, Attribute attribute) {}

  boolean isEmpty() {
    return parts.isEmpty() && attributes.isEmpty();
  }
}
