package dev.varve.engine.catalog;

import dev.varve.model.Series;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The durable numbers by which blocks and journal entries name series and metrics. A series is a
 * key with a field; a metric, here, is a name with a field, so that blocks of the same field of
 * many keys are neighbours. Numbers start at 0 and are never reused. Safe for use by several
 * threads.
 *
 * <p>A number is assigned in memory first and {@linkplain #settle settled} when the home has it.
 * Until then, every {@link #assign} of the same series returns the same number, and the caller must
 * write it to the home before using it.
 */
public final class SeriesNumbers {
  /** Returned if a series has no number. */
  public static final int NONE = -1;

  /** The metric of series whose names are lost, and the tag that has their numbers. */
  public static final String LOST = "varve_lost_series";

  /** Heap bytes of an entry of a hash map with its key. */
  private static final int BYTES_PER_ENTRY = 96;

  private record Pending(SeriesIdentity identity, String field) {}

  private record OfKey(int key, String field) {}

  /** The metric and field that a number identifies. */
  public record Metric(String name, String field) {}

  /** By the number of a key in the index: the number of its default field plus one. */
  private final NumberColumns.Ints ofDefaultField = new NumberColumns.Ints();

  private int keys;
  private final Map<OfKey, Integer> ofOtherFields = new HashMap<>();
  private final Map<Pending, Integer> pending = new HashMap<>();
  private final Map<Metric, Integer> metrics = new HashMap<>();
  private final Map<Integer, Metric> byNumber = new HashMap<>();

  /** By the number of a series: the number of its metric. */
  private final NumberColumns.Ints metricOf = new NumberColumns.Ints();

  /** By the number of a series: the number of its key in the index plus one. */
  private final NumberColumns.Ints keyOf = new NumberColumns.Ints();

  private int nextSeries;
  private int nextMetric;

  /** Returns the number of a series, or {@link #NONE}. */
  public synchronized int find(int key, String field) {
    if (field.equals(Series.DEFAULT_FIELD)) {
      return key < keys ? ofDefaultField.get(key) - 1 : NONE;
    }
    return ofOtherFields.getOrDefault(new OfKey(key, field), NONE);
  }

  /**
   * Returns the number of a series, which is assigned if it has none.
   *
   * @param key the number of the key in the index; -1 if the index lacks it
   */
  public synchronized int assign(int key, SeriesIdentity identity, String metric, String field) {
    int known = key < 0 ? NONE : find(key, field);
    if (known != NONE) {
      return known;
    }
    return pending.computeIfAbsent(
        new Pending(identity, field),
        one -> {
          int metricNumber = metricNumber(new Metric(metric, field));
          metricOf.set(nextSeries, metricNumber);
          keyOf.set(nextSeries, 0);
          return nextSeries++;
        });
  }

  private int metricNumber(Metric metric) {
    Integer known = metrics.get(metric);
    if (known == null) {
      put(metric, nextMetric);
      return nextMetric++;
    }
    return known;
  }

  /**
   * Records that the home has the number of a series whose key the index has now. Several writes
   * that create the same series at the same time call this one after another, with the same number.
   * A write that assigns a number between two of these calls, without the key, gets another number,
   * which this method discards.
   */
  public synchronized void settle(int key, SeriesIdentity identity, String field, int number) {
    pending.remove(new Pending(identity, field));
    set(key, field, number);
  }

  /** Records a number that the home has. */
  public synchronized void load(int key, String metric, String field, int number, int ofMetric) {
    reserve(number);
    set(key, field, number);
    metricOf.set(number, ofMetric);
    put(new Metric(metric, field), ofMetric);
    nextMetric = Math.max(nextMetric, ofMetric + 1);
  }

  /** Keeps the number of a lost series from being assigned while this process runs. */
  public synchronized void reserve(int number, int ofMetric) {
    if (number >= nextSeries || keyOf.get(number) == 0) {
      reserve(number);
      metricOf.set(number, ofMetric);
      nextMetric = Math.max(nextMetric, ofMetric + 1);
    }
  }

  /** Like {@link #reserve}, for a series of which only the number is known. */
  public synchronized void reserveForLost(int number) {
    if (number >= nextSeries || metricOf.get(number) == NONE) {
      reserve(number, metricNumber(new Metric(LOST, Series.DEFAULT_FIELD)));
    }
  }

  private void reserve(int number) {
    for (; nextSeries <= number; nextSeries++) {
      metricOf.set(nextSeries, NONE);
      keyOf.set(nextSeries, 0);
    }
  }

  private void put(Metric metric, int number) {
    metrics.put(metric, number);
    byNumber.put(number, metric);
  }

  private void set(int key, String field, int number) {
    if (field.equals(Series.DEFAULT_FIELD)) {
      for (; keys <= key; keys++) {
        ofDefaultField.set(keys, 0);
      }
      ofDefaultField.set(key, number + 1);
    } else {
      ofOtherFields.put(new OfKey(key, field), number);
    }
    keyOf.set(number, key + 1);
  }

  /**
   * Forgets the numbers of a key that was removed. They are not assigned again, and no longer lead
   * to the key.
   */
  synchronized void forget(int key, List<String> fields) {
    for (String field : fields) {
      int number = find(key, field);
      if (number != NONE) {
        keyOf.set(number, 0);
        if (field.equals(Series.DEFAULT_FIELD)) {
          ofDefaultField.set(key, 0);
        } else {
          ofOtherFields.remove(new OfKey(key, field));
        }
      }
    }
  }

  /**
   * Keeps numbers from being assigned that removed series had.
   *
   * @param series the lowest number of a series that may be assigned
   * @param metrics the lowest number of a metric that may be assigned
   */
  public synchronized void reserveBelow(int series, int metrics) {
    reserve(series - 1);
    nextMetric = Math.max(nextMetric, metrics);
  }

  /** Returns the number of the metric of a series that has a number. */
  public synchronized int metric(int series) {
    return metricOf.get(series);
  }

  /**
   * Counts series of a metric whose numbers lie between two others, up to a limit.
   *
   * @param after number before the first counted one
   * @param before number after the last counted one
   */
  public synchronized int countBetween(int metric, int after, int before, int limit) {
    int count = 0;
    for (int series = after + 1; series < before && count < limit; series++) {
      count += metricOf.get(series) == metric ? 1 : 0;
    }
    return count;
  }

  /** Returns the number of a metric, or {@link #NONE}. */
  public synchronized int find(Metric metric) {
    return metrics.getOrDefault(metric, NONE);
  }

  /** Returns the number of metrics; the next one gets it as its number. */
  public synchronized int metrics() {
    return nextMetric;
  }

  /**
   * Returns the metric and field that a number identifies; null if the home has none with that
   * number.
   */
  public synchronized @Nullable Metric metricOf(int number) {
    return byNumber.get(number);
  }

  /** Returns the field of a series that has a number whose key the home has. */
  public synchronized String field(int series) {
    return Objects.requireNonNull(byNumber.get(metricOf.get(series)), "the home has it").field;
  }

  /** Returns how many numbers were assigned or reserved; the next series gets it as its number. */
  public synchronized int size() {
    return nextSeries;
  }

  /** Returns the number of the key of a series in the index, or -1 if the home lacks the series. */
  public synchronized int key(int series) {
    return series < nextSeries ? keyOf.get(series) - 1 : NONE;
  }

  /** Estimates the heap bytes. */
  synchronized long bytes() {
    return ofDefaultField.bytes()
        + metricOf.bytes()
        + keyOf.bytes()
        + (long) BYTES_PER_ENTRY * (ofOtherFields.size() + pending.size() + 2 * metrics.size());
  }
}
