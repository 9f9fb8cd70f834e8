package dev.varve.layout.kairosdb;

import dev.varve.layout.kairosdb.Tuple.Column;
import dev.varve.layout.kairosdb.Tuple.ColumnType;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.TableSpec;
import java.util.List;

/**
 * The tables of a keyspace. {@code data_points}, {@code row_key_index} and {@code string_index} are
 * cells in Cassandra too: key, column1, value. The others have typed columns, which stand here as a
 * {@link Tuple}: the partition columns are the row key, the clustering columns the qualifier.
 *
 * <p>Every row is a partition of its own, and cell times are milliseconds as KairosDB writes them:
 * a cell with the microseconds that Cassandra's clients are used to could never again be
 * overwritten or deleted by KairosDB.
 */
final class Tables {
  static final int DATA_POINTS = 0;
  static final int ROW_KEYS = 1;
  static final int ROW_KEY_TIME_INDEX = 2;
  static final int ROW_KEY_INDEX = 3;
  static final int STRING_INDEX = 4;
  static final int TAG_INDEXED_ROW_KEYS = 5;
  static final int SPEC = 6;

  /** Also the column {@code table_name} of every row of the index tables. */
  static final String DATA_POINTS_NAME = "data_points";

  static final List<TableSpec> ALL =
      List.of(
          table(DATA_POINTS_NAME),
          table("row_keys"),
          table("row_key_time_index"),
          table("row_key_index"),
          table("string_index"),
          table("tag_indexed_row_keys"),
          table("spec"));

  private static TableSpec table(String name) {
    return new TableSpec(
        name, List.of(FamilySpec.latest("v")), Resolution.MILLISECONDS, Partitioning.ROW);
  }

  static final Column METRIC = new Column("metric", ColumnType.TEXT);
  static final Column TABLE_NAME = new Column("table_name", ColumnType.TEXT);
  static final Column ROW_TIME = new Column("row_time", ColumnType.TIMESTAMP);
  static final Column DATA_TYPE = new Column("data_type", ColumnType.TEXT);
  static final Column TAGS = new Column("tags", ColumnType.MAP);
  static final Column SINGLE_TAG_PAIR = new Column("single_tag_pair", ColumnType.TEXT);
  static final Column TAG_COLLECTION_HASH = new Column("tag_collection_hash", ColumnType.INT);
  static final Column SPEC_TYPE = new Column("spec_type", ColumnType.TEXT);
  static final Column SPEC_NAME = new Column("name", ColumnType.TEXT);

  static final List<Column> ROW_KEYS_ROW = List.of(METRIC, TABLE_NAME, ROW_TIME);
  static final List<Column> ROW_KEYS_QUALIFIER = List.of(DATA_TYPE, TAGS);
  static final List<Column> TIME_INDEX_ROW = List.of(METRIC);
  static final List<Column> TIME_INDEX_QUALIFIER = List.of(TABLE_NAME, ROW_TIME);
  static final List<Column> TAG_INDEXED_ROW =
      List.of(METRIC, TABLE_NAME, ROW_TIME, SINGLE_TAG_PAIR);
  static final List<Column> TAG_INDEXED_QUALIFIER = List.of(DATA_TYPE, TAG_COLLECTION_HASH, TAGS);
  static final List<Column> SPEC_ROW = List.of(SPEC_TYPE);
  static final List<Column> SPEC_QUALIFIER = List.of(SPEC_NAME);

  static final Bytes DATA_POINTS_COLUMN = Tuple.texts(DATA_POINTS_NAME);

  /** The row of {@code string_index} that holds the names of all metrics. */
  static final Bytes METRIC_NAMES = Bytes.utf8("metric_names");

  /** The value of each string there. */
  static final Bytes STRING_VALUE = Bytes.of((byte) 0);

  private Tables() {}
}
