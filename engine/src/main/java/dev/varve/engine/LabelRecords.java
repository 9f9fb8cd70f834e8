package dev.varve.engine;

import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.delete.SideRecords;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.heat.HeatKeeper;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.usage.UsageKeeper;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.RefusedException;
import dev.varve.model.Bytes;
import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The records that name labels: key counters, whose bounds are keys of rows; the query log; and the
 * cardinality of days.
 */
record LabelRecords(OpenDataset open, HeatKeeper heat, UsageKeeper usage) implements SideRecords {
  @Override
  public void forget(@Nullable Set<TagFilter.Equal> removed) {
    List<String> texts =
        removed == null
            ? null
            : removed.stream().filter(this::isGone).map(TagFilter.Equal::value).distinct().toList();
    heat.forget(table -> goneKeys(table, texts));
    usage.forget(
        metric -> !metric.isEmpty() && isGone(Selector.metric(metric)),
        label -> isGone(new TagFilter.Has(label)),
        example -> example.filters().stream().anyMatch(filter -> namesGone(filter, texts)));
  }

  private boolean isGone(TagFilter filter) {
    return isGone(new Selector(List.of(filter)));
  }

  private boolean isGone(Selector selector) {
    SeriesIndex index = open.index();
    return index.match(selector, null).size() == 0;
  }

  /**
   * Returns whether a filter names a label that no series has.
   *
   * @param texts values that no series has any more; null if they are unknown
   */
  private boolean namesGone(TagFilter filter, @Nullable List<String> texts) {
    return switch (filter) {
      case TagFilter.Equal one -> isGone(one.name(), one.value());
      case TagFilter.NotEqual one -> isGone(one.name(), one.value());
      case TagFilter.In one -> one.values().stream().anyMatch(value -> isGone(one.name(), value));
      case TagFilter.Prefix one ->
          isUnmatched(one)
              || texts == null
              || texts.stream().anyMatch(text -> text.startsWith(one.prefix()));
      case TagFilter.Regex one -> isUnmatched(one) || hasAny(one.pattern(), texts);
      case TagFilter.NotRegex one -> hasAny(one.pattern(), texts);
      case TagFilter.Has one -> isGone(one);
    };
  }

  /** An empty value is that of series without the label. */
  private boolean isGone(String label, String value) {
    return !value.isEmpty() && isGone(new TagFilter.Equal(label, value));
  }

  private boolean isUnmatched(TagFilter filter) {
    try {
      return isGone(filter);
    } catch (QueryRefusedException e) {
      // It cannot be compared with the series.
      return true;
    }
  }

  private static boolean hasAny(String pattern, @Nullable List<String> texts) {
    return texts == null || texts.stream().anyMatch(pattern::contains);
  }

  /** Returns which keys of a table name no series that the catalog has. */
  private Predicate<Bytes> goneKeys(String table, @Nullable List<String> texts) {
    PlacedLayout placed = new HeatMaps(open, heat, null).placed(table);
    if (placed == null) {
      // Rows of blocks have numbers.
      return key -> false;
    }
    List<String> gone =
        texts == null ? null : texts.stream().map(text -> Bytes.utf8(text).hex()).toList();
    boolean ofSamples = placed.dataTable().spec().name().equals(table);
    // Slices have the same keys again and again.
    Map<Bytes, Boolean> known = new HashMap<>();
    return key -> known.computeIfAbsent(key, one -> isGone(ofSamples ? placed : null, one, gone));
  }

  /**
   * @param samples the layout of the key; null for a table that has no samples
   * @param values in hexadecimal digits; null if they are unknown
   */
  private boolean isGone(@Nullable PlacedLayout samples, Bytes key, @Nullable List<String> values) {
    Boolean found = samples == null ? null : isGone(samples, key);
    if (found == null && samples != null && key.length() > 1 && key.at(key.length() - 1) == 0) {
      // The bound after a hot row is that row with a zero.
      found = isGone(samples, key.slice(0, key.length() - 1));
    }
    if (found != null) {
      return found;
    }
    String hex = key.hex();
    boolean isCut = key.length() == HeatKeeper.KEY_BYTES_MAX;
    return values == null
        || values.stream().anyMatch(value -> has(hex, value) || (isCut && endsWithin(hex, value)));
  }

  /** Returns whether the catalog lacks the series of a row; null if the key does not tell. */
  private @Nullable Boolean isGone(PlacedLayout samples, Bytes key) {
    try {
      SeriesIdentity identity = SeriesIdentity.of(samples.run(samples.layout().identify(key)));
      return open.index().find(identity) < 0;
    } catch (DamagedCellException | RefusedException e) {
      return null;
    }
  }

  private static boolean has(String key, String value) {
    int at = key.indexOf(value);
    while (at >= 0 && at % 2 != 0) {
      at = key.indexOf(value, at + 1);
    }
    return at >= 0;
  }

  /** Returns whether a key ends with the beginning of a value, of which it may have been cut. */
  private static boolean endsWithin(String key, String value) {
    for (int digits = value.length() - 2; digits > 0; digits -= 2) {
      if (key.endsWith(value.substring(0, digits))) {
        return true;
      }
    }
    return false;
  }
}
