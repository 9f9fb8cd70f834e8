package dev.varve.layout.guardrail;

import dev.varve.store.Capabilities;
import dev.varve.store.Capabilities.RowOrder;
import dev.varve.store.SizeLimits;
import java.util.ArrayList;
import java.util.List;

/** Checks counters of what is written. */
final class WritingGuardrails {
  private WritingGuardrails() {}

  /**
   * Checks the size of a row, or of a partition on stores that spread partitions by hash: each
   * partition lies on few machines and must not grow without bound.
   */
  static List<Finding> row(String storeKind, Capabilities capabilities, long bytes, long cells) {
    SizeLimits limits = capabilities.limits();
    List<Finding> findings = new ArrayList<>();
    long warn = limits.softRow() / 100 * Thresholds.ROW_WARN_PERCENT;
    if (bytes > limits.hardRow()) {
      findings.add(
          new Finding(
              Rule.ROW_BYTES_HARD,
              "the row has %d bytes, more than %d cannot be read from %s: the layout needs a narrower bucket"
                  .formatted(bytes, limits.hardRow(), storeKind)));
    } else if (bytes >= warn) {
      findings.add(
          new Finding(
              Rule.ROW_BYTES,
              "the row has %d bytes, %d %% of the soft limit %d of %s: take the next narrower bucket for a new period"
                  .formatted(
                      bytes,
                      Math.round(100.0 * bytes / limits.softRow()),
                      limits.softRow(),
                      storeKind)));
    }
    if (capabilities.order() == RowOrder.PARTITION && cells >= Thresholds.PARTITION_CELLS) {
      findings.add(
          new Finding(
              Rule.ROW_CELLS,
              "the partition has %d cells, %s works well with at most %d: take the next narrower bucket for a new period"
                  .formatted(cells, storeKind, Thresholds.PARTITION_CELLS)));
    }
    return findings;
  }

  static List<Finding> value(SizeLimits limits, long bytes) {
    if (bytes > limits.hardValue()) {
      return List.of(
          new Finding(
              Rule.VALUE_BYTES_HARD,
              "the value has %d bytes, the store takes %d: keep large objects elsewhere and their address here"
                  .formatted(bytes, limits.hardValue())));
    }
    if (bytes > limits.softValue()) {
      return List.of(
          new Finding(
              Rule.VALUE_BYTES,
              "the value has %d bytes, reads of more than %d are slow and take much memory: keep large objects elsewhere and their address here"
                  .formatted(bytes, limits.softValue())));
    }
    return List.of();
  }

  static List<Finding> overhead(long cells, long coordinateBytes, long valueBytes) {
    if (cells < Thresholds.OVERHEAD_CELLS
        || coordinateBytes <= Thresholds.OVERHEAD_RATIO * valueBytes) {
      return List.of();
    }
    return List.of(
        new Finding(
            Rule.KEY_OVERHEAD,
            "%d cells carry %d bytes of row keys, families and qualifiers for %d bytes of values, more than %d to 1: take wider buckets, shorter names, or pack the fields of an event"
                .formatted(cells, coordinateBytes, valueBytes, Thresholds.OVERHEAD_RATIO)));
  }
}
