package dev.varve.cli.imports;

import dev.hardwood.reader.RowReader;
import dev.hardwood.row.PqMap;
import dev.varve.cli.imports.ColumnFinder.Found;
import dev.varve.cli.imports.ColumnFinder.Holds;
import dev.varve.formats.text.BadLineException;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The columns of an export of Varve. Those for fields, resources and single kinds of values may be
 * missing, as in a table that was made of exports elsewhere.
 */
final class ExportColumns implements ParquetRows.Columns {
  private final Resolution target;
  private final Found metric;
  private final Found labels;
  private final Found time;
  private final ColumnFinder.Clock clock;
  private final @Nullable Found field;
  private final @Nullable Found resource;
  private final @Nullable Found real;
  private final @Nullable Found integer;
  private final @Nullable Found text;

  /** The entries of the last row, so that the rows of a series share a key. */
  private List<String> lastEntries = List.of();

  private GroupKey lastKey = GroupKey.of("", Tags.EMPTY);

  ExportColumns(ColumnFinder finder, Resolution target) {
    this.target = target;
    metric = require(finder, "metric", Holds.TEXT);
    labels = require(finder, "labels", Holds.MAP);
    time = require(finder, "time", Holds.TIME);
    clock = ColumnFinder.clock(time, Resolution.MILLISECONDS, this.target);
    field = optional(finder, "field", Holds.TEXT);
    resource = optional(finder, "resource", Holds.MAP);
    real = optional(finder, "value_double", Holds.REAL);
    integer = optional(finder, "value_int64", Holds.INTEGER);
    text = optional(finder, "value_string", Holds.TEXT);
  }

  private static Found require(ColumnFinder finder, String name, Holds holds) {
    try {
      return finder.require(name, holds);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "it is no export of Varve, since %s: other tables need either --metric or --metric-column"
              .formatted(e.getMessage()),
          e);
    }
  }

  private static @Nullable Found optional(ColumnFinder finder, String name, Holds holds) {
    return finder.find(name) == null ? null : require(finder, name, holds);
  }

  @Override
  public void add(RowReader row, BatchBuilder into) {
    GroupKey key = key(row);
    long at = clock.of(row, time, target);
    Found named = field;
    String of =
        named == null || row.isNull(named.index())
            ? Series.DEFAULT_FIELD
            : row.getString(named.index());
    boolean hasReal = has(row, real);
    boolean hasInteger = has(row, integer);
    boolean hasText = has(row, text);
    if ((hasReal ? 1 : 0) + (hasInteger ? 1 : 0) + (hasText ? 1 : 0) != 1) {
      throw new BadLineException(
          "a row has one of value_double, value_int64 and value_string, and the others are null");
    }
    BatchBuilder.GroupBuilder group = into.group(key);
    if (hasReal && real != null) {
      group.add(of, at, row.getDouble(real.index()));
    } else if (hasInteger && integer != null) {
      group.add(of, at, row.getLong(integer.index()));
    } else if (text != null) {
      group.add(of, at, row.getString(text.index()).getBytes(StandardCharsets.UTF_8));
    }
  }

  private static boolean has(RowReader row, @Nullable Found column) {
    return column != null && !row.isNull(column.index());
  }

  private GroupKey key(RowReader row) {
    if (row.isNull(metric.index()) || row.getString(metric.index()).isEmpty()) {
      throw new BadLineException("the metric is empty");
    }
    List<String> entries = new ArrayList<>();
    entries.add(row.getString(metric.index()));
    int tags = entries(row, labels, entries);
    if (resource != null) {
      entries(row, resource, entries);
    }
    entries.add(String.valueOf(tags));
    if (!entries.equals(lastEntries)) {
      lastKey =
          new GroupKey(
              entries.getFirst(), tags(entries, 1, tags), tags(entries, tags, entries.size() - 1));
      lastEntries = entries;
    }
    return lastKey;
  }

  /** Adds the names and values of a map, and returns how many texts there are then. */
  private static int entries(RowReader row, Found column, List<String> to) {
    if (!row.isNull(column.index())) {
      for (PqMap.Entry entry : row.getMap(column.index()).getEntries()) {
        if (entry.isValueNull()) {
          throw new BadLineException("a value in '%s' is null".formatted(column.name()));
        }
        to.add(entry.getStringKey());
        to.add(entry.getStringValue());
      }
    }
    return to.size();
  }

  private static Tags tags(List<String> entries, int from, int to) {
    Map<String, String> tags = new TreeMap<>();
    for (int i = from; i < to; i += 2) {
      tags.put(entries.get(i), entries.get(i + 1));
    }
    return Tags.of(tags);
  }
}
