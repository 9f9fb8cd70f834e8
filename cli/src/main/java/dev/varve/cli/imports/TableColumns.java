package dev.varve.cli.imports;

import dev.hardwood.metadata.PhysicalType;
import dev.hardwood.reader.RowReader;
import dev.hardwood.row.PqMap;
import dev.hardwood.schema.SchemaNode;
import dev.varve.cli.imports.ColumnFinder.Found;
import dev.varve.cli.imports.ColumnFinder.Holds;
import dev.varve.formats.text.BadLineException;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The columns of any table, as the options name them: metric, time, tags, and fields, of which a
 * row has those that are not null. A column of tags may be a map of them.
 */
final class TableColumns implements ParquetRows.Columns {
  private final TableOptions options;
  private final Resolution target;
  private final @Nullable Found metric;
  private final Found time;
  private final ColumnFinder.Clock clock;
  private final List<Found> tags = new ArrayList<>();
  private final List<Field> fields = new ArrayList<>();

  /**
   * A column that is a field, as a kind.
   *
   * @param narrow whether its values have 32 bits instead of 64
   */
  private record Field(Found column, Kind kind, boolean narrow) {}

  TableColumns(ColumnFinder finder, TableOptions options, Resolution target) {
    this.options = options;
    this.target = target;
    metric = options.metricColumn == null ? null : finder.require(options.metricColumn, Holds.TEXT);
    time = finder.require(options.timeColumn, Holds.TIME, Holds.INTEGER);
    clock = ColumnFinder.clock(time, Resolution.ofSymbol(options.timeUnit), this.target);
    for (String name : options.tagColumns) {
      tags.add(finder.require(name, Holds.TEXT, Holds.INTEGER, Holds.MAP));
    }
    Map<String, Kind> wanted = options.kinds();
    wanted.forEach((name, kind) ->
        fields.add(
            field(
                switch (kind) {
                  case DOUBLE -> finder.require(name, Holds.REAL, Holds.INTEGER);
                  case INT64 -> finder.require(name, Holds.INTEGER);
                  case STRING -> finder.require(name, Holds.TEXT);
                },
                kind)));
    if (wanted.isEmpty()) {
      finder.all().stream().filter(this::isLeft).forEach(column -> fields.add(natural(column)));
    }
    if (fields.isEmpty()) {
      throw new IllegalArgumentException("no column of numbers is left for a value");
    }
  }

  /** Returns whether a column of numbers has no other meaning. */
  private boolean isLeft(Found column) {
    return (column.holds() == Holds.REAL || column.holds() == Holds.INTEGER)
        && !column.equals(time)
        && !tags.contains(column);
  }

  private static Field natural(Found column) {
    return field(column, column.holds() == Holds.REAL ? Kind.DOUBLE : Kind.INT64);
  }

  private static Field field(Found column, Kind kind) {
    PhysicalType type = ((SchemaNode.PrimitiveNode) column.node()).type();
    return new Field(column, kind, type == PhysicalType.INT32 || type == PhysicalType.FLOAT);
  }

  @Override
  public void add(RowReader row, BatchBuilder into) {
    long at = clock.of(row, time, target);
    if (fields.stream().allMatch(field -> row.isNull(field.column().index()))) {
      throw new BadLineException("the row has no value: all columns of fields are null");
    }
    BatchBuilder.GroupBuilder group = into.group(GroupKey.of(metric(row), tags(row)));
    for (Field field : fields) {
      Found column = field.column();
      if (row.isNull(column.index())) {
        continue;
      }
      switch (field.kind()) {
        case DOUBLE -> group.add(column.name(), at, real(row, field));
        case INT64 -> group.add(column.name(), at, integer(row, field));
        case STRING -> group.add(column.name(), at, row.getString(column.index()));
      }
    }
  }

  private static double real(RowReader row, Field field) {
    int index = field.column().index();
    if (field.column().holds() == Holds.INTEGER) {
      return integer(row, field);
    }
    return field.narrow() ? row.getFloat(index) : row.getDouble(index);
  }

  private static long integer(RowReader row, Field field) {
    int index = field.column().index();
    return field.narrow() ? row.getInt(index) : row.getLong(index);
  }

  private String metric(RowReader row) {
    String name = options.metric;
    if (metric != null) {
      name = row.isNull(metric.index()) ? null : row.getString(metric.index());
    }
    if (name == null || name.isEmpty()) {
      throw new BadLineException("the metric is empty");
    }
    return name;
  }

  private Tags tags(RowReader row) {
    Map<String, String> of = new TreeMap<>(options.tags);
    for (Found column : tags) {
      if (row.isNull(column.index())) {
        continue;
      }
      switch (column.holds()) {
        case MAP -> {
          for (PqMap.Entry entry : row.getMap(column.index()).getEntries()) {
            if (!entry.isValueNull()) {
              of.put(entry.getStringKey(), entry.getStringValue());
            }
          }
        }
        case TEXT -> of.put(column.name(), row.getString(column.index()));
        case INTEGER, REAL, TIME, OTHER ->
            of.put(column.name(), String.valueOf(row.getRawValue(column.index())));
      }
    }
    of.values().removeIf(String::isEmpty);
    return Tags.of(of);
  }
}
