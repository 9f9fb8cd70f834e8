package dev.varve.engine;

import dev.varve.engine.catalog.SeriesBounds;
import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.engine.heat.HeatSlice;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.request.ReadGuard;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyPart;
import dev.varve.layout.RefusedException;
import dev.varve.layout.block.BlockKey;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The ranges of a table's rows that can have no other series than those of a user. The keys at the
 * ends of a range decide, not the series that exist, so the answer reveals nothing about the series
 * of others.
 *
 * <p>A range is within if it is one row, or if all its keys begin with the same parts and these
 * parts decide the user's matchers. For one request; not thread-safe.
 */
final class RowsWithin implements HeatSlice.Admission {
  /** Heap bytes of a remembered answer. */
  private static final int ANSWER_BYTES = 150;

  private static final Set<String> OF_METRIC = Set.of(Series.NAME_LABEL, Series.FIELD_LABEL);

  private record Range(Bytes from, Bytes to) {}

  private final OpenDataset open;
  private final @Nullable PlacedLayout placed;

  /** Whether the table has samples, not an index of them. */
  private final boolean isOfSamples;

  private final SeriesBounds bounds;
  private final ReadGuard guard;
  private final Map<Range, Boolean> known = new HashMap<>();

  /**
   * @param placed the layout of the table; null for blocks
   * @param table the name of the table in the store
   * @param bounds the series that the user may see
   */
  RowsWithin(
      OpenDataset open,
      @Nullable PlacedLayout placed,
      String table,
      SeriesBounds bounds,
      ReadGuard guard) {
    this.open = open;
    this.placed = placed;
    this.isOfSamples = placed == null || placed.dataTable().spec().name().equals(table);
    this.bounds = bounds;
    this.guard = guard;
  }

  @Override
  public boolean admits(Bytes from, Bytes to) {
    if (!isOfSamples) {
      return false;
    }
    Range range = new Range(from, to);
    Boolean before = known.get(range);
    if (before != null) {
      return before;
    }
    guard.ensureWanted();
    guard.held(ANSWER_BYTES, "ranges of a heat map");
    boolean admitted = admits(from, from, to);
    if (!admitted && from.at(from.length() - 1) == 0) {
      // The bound after a hot row is that row with a zero.
      admitted = admits(from.slice(0, from.length() - 1), from, to);
    }
    known.put(range, admitted);
    return admitted;
  }

  private boolean admits(Bytes row, Bytes from, Bytes to) {
    return placed == null ? ofBlocks(row, from, to) : ofCells(placed, row, from, to);
  }

  private static boolean isOnly(Bytes row, Bytes from, Bytes to) {
    return from.equals(row) && to.compareTo(row.successor()) <= 0;
  }

  private static boolean begins(Bytes prefix, Bytes from, Bytes to) {
    Bytes end = prefix.prefixEnd();
    return from.startsWith(prefix) && (end == null || to.compareTo(end) <= 0);
  }

  private boolean ofBlocks(Bytes row, Bytes from, Bytes to) {
    byte[] bytes = row.toArray();
    if (!BlockKey.isRow(bytes, 0, bytes.length)) {
      return false;
    }
    boolean only = isOnly(row, from, to);
    boolean ofMetric =
        bounds.decideBy(OF_METRIC) && begins(row.slice(0, BlockKey.METRIC_END), from, to);
    if (!only && !ofMetric) {
      return false;
    }
    SeriesNumbers numbers = open.index().numbers();
    int number = BlockKey.series(bytes, 0);
    int key = numbers.key(number);
    return key >= 0 && bounds.contains(open.index().key(key), numbers.field(number));
  }

  private boolean ofCells(PlacedLayout layout, Bytes row, Bytes from, Bytes to) {
    if (!bounds.decideByKey()) {
      // A row has all fields of a key.
      return false;
    }
    try {
      List<KeyPart> parts = layout.layout().rows().parts();
      int same = isOnly(row, from, to) ? parts.size() : sameParts(parts, row, from, to);
      if (same == 0) {
        return false;
      }
      GroupKey key = layout.run(layout.layout().identify(row));
      boolean decided =
          parts.stream().skip(same).noneMatch(part -> part.role().ofKey())
              || bounds.decideBy(labels(parts.subList(0, same), key));
      return decided && bounds.contains(key);
    } catch (DamagedCellException | RefusedException e) {
      return false;
    }
  }

  /** Returns the number of leading parts that all rows of a range share; never all parts. */
  private static int sameParts(List<KeyPart> parts, Bytes row, Bytes from, Bytes to) {
    byte[] bytes = row.toArray();
    int at = 0;
    int same = 0;
    for (int i = 0; i + 1 < parts.size(); i++) {
      at = parts.get(i).skip(bytes, at, bytes.length);
      if (!begins(row.slice(0, at), from, to)) {
        break;
      }
      same = i + 1;
    }
    return same;
  }

  /** Returns the labels whose values are the same in all keys that share parts. */
  private static Set<String> labels(List<KeyPart> parts, GroupKey key) {
    Set<String> labels = new HashSet<>();
    for (KeyPart part : parts) {
      // The label of a resource belongs to a tag of the same name in keys that have one.
      if (part.role() == KeyPart.Role.METRIC || part.role() == KeyPart.Role.TAGS) {
        List<TagFilter> shared = part.shared(key);
        if (shared != null) {
          shared.stream()
              .filter(TagFilter.Equal.class::isInstance)
              .forEach(one -> labels.add(one.name()));
        }
      }
    }
    return labels;
  }
}
