package dev.varve.layout.kairosdb;

import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.TableForm;
import dev.varve.store.TableSpec;
import dev.varve.store.TypedColumn;
import java.util.List;
import java.util.Map;

/**
 * The tables of a keyspace. {@code data_points}, {@code row_key_index} and {@code string_index}
 * hold cells in Cassandra too: key, column1, value. The other tables have typed columns, encoded
 * here as a {@link Tuple}: the partition columns form the row key, the clustering columns the
 * qualifier.
 *
 * <p>Every row is a partition of its own. Cell times are milliseconds, as KairosDB writes them.
 * KairosDB could never overwrite or delete a cell written with microseconds, the usual unit of
 * Cassandra's clients.
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

  static final TypedColumn METRIC = new TypedColumn("metric", TypedColumn.Type.TEXT);
  static final TypedColumn TABLE_NAME = new TypedColumn("table_name", TypedColumn.Type.TEXT);
  static final TypedColumn ROW_TIME = new TypedColumn("row_time", TypedColumn.Type.TIMESTAMP);
  static final TypedColumn DATA_TYPE = new TypedColumn("data_type", TypedColumn.Type.TEXT);
  static final TypedColumn TAGS = new TypedColumn("tags", TypedColumn.Type.MAP);
  static final TypedColumn SINGLE_TAG_PAIR =
      new TypedColumn("single_tag_pair", TypedColumn.Type.TEXT);
  static final TypedColumn TAG_COLLECTION_HASH =
      new TypedColumn("tag_collection_hash", TypedColumn.Type.INT);
  static final TypedColumn SPEC_TYPE = new TypedColumn("spec_type", TypedColumn.Type.TEXT);
  static final TypedColumn SPEC_NAME = new TypedColumn("name", TypedColumn.Type.TEXT);

  static final List<TypedColumn> ROW_KEYS_ROW = List.of(METRIC, TABLE_NAME, ROW_TIME);
  static final List<TypedColumn> ROW_KEYS_QUALIFIER = List.of(DATA_TYPE, TAGS);
  static final List<TypedColumn> TIME_INDEX_ROW = List.of(METRIC);
  static final List<TypedColumn> TIME_INDEX_QUALIFIER = List.of(TABLE_NAME, ROW_TIME);
  static final List<TypedColumn> TAG_INDEXED_ROW =
      List.of(METRIC, TABLE_NAME, ROW_TIME, SINGLE_TAG_PAIR);
  static final List<TypedColumn> TAG_INDEXED_QUALIFIER =
      List.of(DATA_TYPE, TAG_COLLECTION_HASH, TAGS);
  static final List<TypedColumn> SPEC_ROW = List.of(SPEC_TYPE);
  static final List<TypedColumn> SPEC_QUALIFIER = List.of(SPEC_NAME);

  private static final TypedColumn KEY = new TypedColumn("key", TypedColumn.Type.BLOB);
  private static final TypedColumn COLUMN = new TypedColumn("column1", TypedColumn.Type.BLOB);
  private static final TypedColumn VALUE = new TypedColumn("value", TypedColumn.Type.BLOB);

  /** KairosDB sets this column in every row but never reads it. */
  private static final Map<String, String> TIME_OF_WRITE = Map.of("mtime", "now()");

  static final List<TableSpec> ALL =
      List.of(
          table(DATA_POINTS_NAME, new TableForm.KeyColumnValue(KEY, COLUMN, VALUE)),
          table(
              "row_keys",
              new TableForm.Columns(ROW_KEYS_ROW, ROW_KEYS_QUALIFIER, null, TIME_OF_WRITE)),
          table(
              "row_key_time_index",
              new TableForm.Columns(TIME_INDEX_ROW, TIME_INDEX_QUALIFIER, null, Map.of())),
          table("row_key_index", new TableForm.KeyColumnValue(KEY, COLUMN, VALUE)),
          table(
              "string_index",
              new TableForm.KeyColumnValue(
                  KEY, new TypedColumn("column1", TypedColumn.Type.TEXT), VALUE)),
          table(
              "tag_indexed_row_keys",
              new TableForm.Columns(TAG_INDEXED_ROW, TAG_INDEXED_QUALIFIER, null, TIME_OF_WRITE)),
          table(
              "spec",
              new TableForm.Columns(
                  SPEC_ROW,
                  SPEC_QUALIFIER,
                  new TypedColumn("value", TypedColumn.Type.TEXT),
                  Map.of())));

  private static TableSpec table(String name, TableForm form) {
    return new TableSpec(
            name, List.of(FamilySpec.latest("v")), Resolution.MILLISECONDS, Partitioning.ROW)
        .with(form);
  }

  /** The tables that every sample writes to. The others are only read, or optional. */
  static final List<Integer> WRITTEN =
      List.of(DATA_POINTS, ROW_KEYS, ROW_KEY_TIME_INDEX, STRING_INDEX);

  static final Bytes DATA_POINTS_COLUMN = Tuple.texts(DATA_POINTS_NAME);

  /** The row of {@code string_index} that holds the names of all metrics. */
  static final Bytes METRIC_NAMES = Bytes.utf8("metric_names");

  /** The value of every cell of {@code string_index}. */
  static final Bytes STRING_VALUE = Bytes.of((byte) 0);

  private Tables() {}
}
