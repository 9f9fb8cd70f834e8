package dev.varve.engine.check;

import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.Period.Storage.Blocks;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.layout.Binding;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.RefusedException;
import dev.varve.layout.RowShape;
import dev.varve.layout.block.BlockKey;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.RowSpan;
import dev.varve.store.StoreException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the series of the catalog whose samples lie in a span of rows, with the times of those
 * samples.
 */
final class SpanSeries {
  /*
   * With all other parts fixed, the rows of a series are sorted by time, ascending or descending. A
   * binary search over the extent of the series therefore finds the times whose rows lie in the
   * span.
   */
  private static final int LISTED_MAX = 1000;

  private static final long DAY_SECONDS = 86_400;

  private final OpenDataset dataset;

  /** A time range in which samples may lie in addition to the extents in the catalog. */
  private final TimeRange beyond;

  private final List<AffectedSeries> listed = new ArrayList<>();
  private long count;

  /**
   * @param rebuilt whether the catalog was rebuilt from the remaining rows. Its extents then do not
   *     cover lost rows, which are assumed to lie anywhere between 1970 and tomorrow
   */
  SpanSeries(OpenDataset dataset, boolean rebuilt) {
    this.dataset = dataset;
    long tomorrow = Instant.now().getEpochSecond() + DAY_SECONDS;
    this.beyond =
        rebuilt
            ? new TimeRange(0, tomorrow * dataset.resolution().perSecond())
            : new TimeRange(0, 0);
  }

  /** Returns the series found, at most 1,000. */
  List<AffectedSeries> listed() {
    return listed;
  }

  /** Returns the total number of series found. */
  long count() {
    return count;
  }

  /** Adds the series of a span. Does nothing if the span is not in a data table of this dataset. */
  void add(RowSpan span) {
    for (Period period : dataset.periods().all()) {
      for (PlacedLayout placed : period.layouts()) {
        if (placed.dataTable().spec().name().equals(span.table())) {
          add(span, period, placed);
        }
      }
      if (period.storage() instanceof Blocks(BlockTiers blocks)
          && blocks.table().spec().name().equals(span.table())) {
        addBlocks(span, period);
      }
    }
  }

  private void add(RowSpan span, Period period, PlacedLayout placed) {
    SeriesIndex index = dataset.index();
    int size = index.size();
    for (int number = 0; number < size; number++) {
      GroupKey key = index.key(number);
      TimeRange times = times(index.extent(number), period);
      Binding binding = times.isEmpty() ? null : binding(placed, key);
      if (binding == null) {
        continue;
      }
      Map<String, TimeRange> found = new TreeMap<>();
      RowShape shape = placed.layout().rows();
      for (String field : index.fields(number)) {
        for (Kind kind : Kind.values()) {
          if (index.hasField(number, field, kind)) {
            KeyInput input = new KeyInput(binding).field(field).kind(kind);
            TimeRange within = within(span, shape, input, times);
            if (within != null) {
              found.merge(field, within, SpanSeries::sum);
            }
          }
        }
      }
      found.forEach((field, range) -> list(key.field(field).toString(), range));
    }
  }

  /** Returns the times in a period that the samples of a key may have. */
  private TimeRange times(TimeRange extent, Period period) {
    return (beyond.isEmpty() ? extent : extent.isEmpty() ? beyond : sum(extent, beyond))
        .intersect(period.stored());
  }

  private void list(String series, TimeRange range) {
    count++;
    if (listed.size() < LISTED_MAX) {
      listed.add(
          new AffectedSeries(
              dataset.name(), series, instant(range.from()), instant(range.to() - 1)));
    }
  }

  /** Adds the series of a span of the table of blocks, whose rows begin with a bucket. */
  private void addBlocks(RowSpan span, Period period) {
    SeriesIndex index = dataset.index();
    SeriesNumbers numbers = index.numbers();
    for (int series = 0; series < numbers.size(); series++) {
      int number = numbers.key(series);
      if (number < 0) {
        continue;
      }
      TimeRange times = times(index.extent(number), period);
      TimeRange within = within(span, numbers.metric(series), series, times);
      if (within != null) {
        list(index.key(number).field(numbers.field(series)).toString(), within);
      }
    }
  }

  private @Nullable TimeRange within(RowSpan span, int metric, int series, TimeRange times) {
    if (times.isEmpty()) {
      return null;
    }
    Resolution resolution = dataset.resolution();
    long first = BlockKey.bucket(times.from(), resolution);
    long last = BlockKey.bucket(times.to() - 1, resolution);
    if (span.from().length() >= BlockKey.ROW_BYTES) {
      first = Math.max(first, BlockKey.bucket(span.from().toArray(), 0));
    }
    Bytes to = span.to();
    if (to != null && to.length() >= BlockKey.ROW_BYTES) {
      last = Math.min(last, BlockKey.bucket(to.toArray(), 0));
    }
    // Only in the first and the last bucket of a span may the row of a series lie outside of it.
    if (first <= last && !span.contains(BlockKey.row(first, metric, series))) {
      first++;
    }
    if (first <= last && !span.contains(BlockKey.row(last, metric, series))) {
      last--;
    }
    if (first > last) {
      return null;
    }
    return sum(BlockKey.times(first, resolution), BlockKey.times(last, resolution))
        .intersect(times);
  }

  private static @Nullable Binding binding(PlacedLayout placed, GroupKey key) {
    try {
      Optional<Binding> binding = placed.find(key);
      return binding.orElse(null);
    } catch (RefusedException | DamagedCellException | StoreException e) {
      // The description of the damage still gives the row keys.
      return null;
    }
  }

  private static TimeRange sum(TimeRange a, TimeRange b) {
    return new TimeRange(Math.min(a.from(), b.from()), Math.max(a.to(), b.to()));
  }

  private Instant instant(long time) {
    return dataset.resolution().instant(time);
  }

  /** Returns the times whose rows lie in the span; null if there are none. */
  private static @Nullable TimeRange within(
      RowSpan span, RowShape shape, KeyInput input, TimeRange times) {
    int last = shape.lastTimePart();
    int parts = last < 0 ? shape.parts().size() : last + 1;
    long from = times.from();
    long to = times.to() - 1;
    boolean falls = key(shape, parts, input, from).compareTo(key(shape, parts, input, to)) > 0;
    long first =
        first(
            from,
            to,
            time -> {
              Bytes key = key(shape, parts, input, time);
              return falls ? isNotAfter(key, span) : isNotBefore(key, span);
            });
    long end =
        first(
            from,
            to,
            time -> {
              Bytes key = key(shape, parts, input, time);
              return falls ? !isNotBefore(key, span) : !isNotAfter(key, span);
            });
    return first < end ? new TimeRange(first, end) : null;
  }

  private interface Condition {
    boolean holds(long time);
  }

  /** Returns the first time from which the condition holds; {@code to + 1} if it never holds. */
  private static long first(long from, long to, Condition condition) {
    long low = from;
    long high = to + 1;
    while (low < high) {
      long middle = (low & high) + ((low ^ high) >> 1);
      if (condition.holds(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** Returns whether rows with a key prefix may lie at or after the start of the span. */
  private static boolean isNotBefore(Bytes key, RowSpan span) {
    return key.compareTo(span.from()) >= 0 || span.from().startsWith(key);
  }

  private static boolean isNotAfter(Bytes key, RowSpan span) {
    Bytes to = span.to();
    return to == null || key.compareTo(to) <= 0;
  }

  private static Bytes key(RowShape shape, int parts, KeyInput input, long time) {
    KeyBytes key = new KeyBytes();
    shape.encode(input.time(time), 0, parts, key);
    return key.toBytes();
  }
}
