package dev.varve.engine.heat;

import dev.varve.engine.heat.HeatSlice.Busiest;
import dev.varve.engine.heat.HeatSlice.Stretch;
import dev.varve.model.Bytes;
import dev.varve.store.Partitioning;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Estimates the rows of a slice from the sampled ones. */
final class SampledRows {
  /** Minimum number of samples for an estimate. */
  private static final int LEAST = 64;

  private static final double LOW = 0.1;
  private static final double HIGH = 0.9;

  /** In the order of their keys. */
  private final List<KeySample.Key> keys;

  private final Partitioning partitioning;

  SampledRows(List<KeySample.Key> keys, Partitioning partitioning) {
    this.keys = keys.stream().sorted((a, b) -> Arrays.compareUnsigned(a.row(), b.row())).toList();
    this.partitioning = partitioning;
  }

  /** Returns the rows between which most of a range's load lies; null if that is not known. */
  @Nullable Stretch within(KeyRanges ranges, int range) {
    int first = firstFrom(ranges.from(range));
    int end = range + 1 == ranges.size() ? keys.size() : firstFrom(ranges.from(range + 1));
    return end - first < LEAST
        ? null
        : new Stretch(Bytes.of(keys.get(first).row()), Bytes.of(keys.get(end - 1).row()));
  }

  private int firstFrom(Bytes bound) {
    int low = 0;
    int high = keys.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      byte[] row = keys.get(middle).row();
      if (bound.compareTo(row, 0, row.length) <= 0) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** Returns the rows between the first and the last tenth of all writes. */
  @Nullable Stretch written() {
    List<KeySample.Key> writes = keys.stream().filter(KeySample.Key::written).toList();
    if (writes.size() < LEAST) {
      return null;
    }
    double total = writes.stream().mapToDouble(KeySample.Key::weight).sum();
    return new Stretch(at(writes, LOW * total), at(writes, HIGH * total));
  }

  private static Bytes at(List<KeySample.Key> sorted, double weight) {
    double sum = 0;
    for (KeySample.Key key : sorted) {
      sum += key.weight();
      if (sum >= weight) {
        return Bytes.of(key.row());
      }
    }
    return Bytes.of(sorted.getLast().row());
  }

  /** Returns the partition of most reads or writes; null if all are in one, or samples are few. */
  @Nullable Busiest busiest(boolean written) {
    Map<Bytes, Long> weights = new HashMap<>();
    Map<Bytes, KeySample.Key> rows = new HashMap<>();
    long total = 0;
    int samples = 0;
    for (KeySample.Key key : keys) {
      if (key.written() == written) {
        Bytes partition = Bytes.copyOf(key.row(), 0, prefix(key.row()));
        weights.merge(partition, key.weight(), Long::sum);
        rows.putIfAbsent(partition, key);
        total += key.weight();
        samples++;
      }
    }
    Bytes most =
        weights.entrySet().stream()
            .max(Map.Entry.comparingByValue())
            .map(Map.Entry::getKey)
            .orElse(null);
    if (samples < LEAST || most == null || most.isEmpty()) {
      return null;
    }
    double share = (double) weights.getOrDefault(most, 0L) / total;
    KeySample.Key row = Objects.requireNonNull(rows.get(most));
    return new Busiest(
        Bytes.of(row.row()),
        most.length(),
        (int) Math.round(share * samples),
        samples,
        weights.size());
  }

  /** Returns the length of the partition's key; that of the whole row if its key is damaged. */
  private int prefix(byte[] row) {
    try {
      return Math.min(row.length, partitioning.prefixLength(row, 0, row.length));
    } catch (RuntimeException e) {
      // A key that was cut may not have the form of a row.
      return row.length;
    }
  }
}
