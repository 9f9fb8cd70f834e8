package dev.varve.cli.imports;

import dev.hardwood.metadata.LogicalType;
import dev.hardwood.metadata.PhysicalType;
import dev.hardwood.reader.RowReader;
import dev.hardwood.schema.FileSchema;
import dev.hardwood.schema.SchemaNode;
import dev.varve.formats.text.BadLineException;
import dev.varve.model.Resolution;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds the columns of a table by name, and the types of their values. */
final class ColumnFinder {
  /** The type of a column's values. */
  enum Holds {
    TEXT,
    INTEGER,
    REAL,
    TIME,
    MAP,
    OTHER
  }

  /** A column with its index in a row. */
  record Found(int index, String name, Holds holds, SchemaNode node) {}

  private final List<Found> columns = new ArrayList<>();

  ColumnFinder(FileSchema schema) {
    for (SchemaNode node : schema.getRootNode().children()) {
      columns.add(new Found(columns.size(), node.name(), holds(node), node));
    }
  }

  private static Holds holds(SchemaNode node) {
    return switch (node) {
      case SchemaNode.GroupNode group -> group.isMap() && ofTexts(group) ? Holds.MAP : Holds.OTHER;
      case SchemaNode.PrimitiveNode leaf ->
          leaf.maxRepetitionLevel() > 0 ? Holds.OTHER : holds(leaf);
      default -> Holds.OTHER;
    };
  }

  private static boolean ofTexts(SchemaNode.GroupNode map) {
    return holds(map.getMapKey(), map.getMapValue());
  }

  private static boolean holds(SchemaNode key, SchemaNode value) {
    return key instanceof SchemaNode.PrimitiveNode k
        && value instanceof SchemaNode.PrimitiveNode v
        && holds(k) == Holds.TEXT
        && holds(v) == Holds.TEXT;
  }

  private static Holds holds(SchemaNode.PrimitiveNode leaf) {
    LogicalType meaning = leaf.logicalType();
    if (leaf.type() == PhysicalType.INT96 || meaning instanceof LogicalType.TimestampType) {
      return Holds.TIME;
    }
    boolean plain = meaning == null || meaning instanceof LogicalType.IntType;
    return switch (leaf.type()) {
      case INT32, INT64 -> plain ? Holds.INTEGER : Holds.OTHER;
      case FLOAT, DOUBLE -> Holds.REAL;
      case BYTE_ARRAY ->
          meaning instanceof LogicalType.StringType || meaning instanceof LogicalType.EnumType
              ? Holds.TEXT
              : Holds.OTHER;
      default -> Holds.OTHER;
    };
  }

  List<Found> all() {
    return List.copyOf(columns);
  }

  /**
   * Returns a column that holds one of some things.
   *
   * @throws IllegalArgumentException if there is none, or it holds something else
   */
  Found require(String name, Holds... wanted) {
    Found found = find(name);
    if (found == null) {
      throw new IllegalArgumentException(
          "there is no column '%s' (the columns are %s)"
              .formatted(
                  name, columns.stream().map(Found::name).collect(Collectors.joining(", "))));
    }
    if (!List.of(wanted).contains(found.holds())) {
      throw new IllegalArgumentException(
          "column '%s' is of type %s, which is not read here".formatted(name, found.node()));
    }
    return found;
  }

  /** Returns a column; null if there is none of the name. */
  @Nullable Found find(String name) {
    return columns.stream().filter(column -> column.name().equals(name)).findFirst().orElse(null);
  }

  /**
   * Returns how a column of times or integers is read.
   *
   * @param unit the unit of integers
   */
  static Clock clock(Found column, Resolution unit, Resolution target) {
    SchemaNode.PrimitiveNode leaf = (SchemaNode.PrimitiveNode) column.node();
    int index = column.index();
    if (leaf.type() == PhysicalType.INT96) {
      return row -> {
        Instant instant = row.getTimestamp(index);
        return Math.addExact(
            Math.multiplyExact(instant.getEpochSecond(), target.perSecond()),
            instant.getNano() / (1_000_000_000L / target.perSecond()));
      };
    }
    Resolution of =
        leaf.logicalType() instanceof LogicalType.TimestampType time ? unit(time) : unit;
    boolean narrow = leaf.type() == PhysicalType.INT32;
    return row -> of.convert(narrow ? row.getInt(index) : row.getLong(index), target);
  }

  private static Resolution unit(LogicalType.TimestampType time) {
    return switch (time.unit()) {
      case MILLIS -> Resolution.MILLISECONDS;
      case MICROS -> Resolution.MICROSECONDS;
      case NANOS -> Resolution.NANOSECONDS;
    };
  }

  /** Returns the time of a row in the unit of the target. */
  interface Clock {
    long read(RowReader row);

    /** Returns the time, or says that the row has none that fits. */
    default long of(RowReader row, Found column, Resolution target) {
      if (row.isNull(column.index())) {
        throw new BadLineException("column '" + column.name() + "' is null: a sample has a time");
      }
      try {
        return read(row);
      } catch (ArithmeticException e) {
        throw new BadLineException("the time is too large for " + target.symbol());
      }
    }
  }
}
