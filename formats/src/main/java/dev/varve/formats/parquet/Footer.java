package dev.varve.formats.parquet;

import dev.varve.model.Resolution;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The end of a file: schema, row groups, and what Varve's importer needs to know. */
final class Footer {
  /*
   * What is written, in the names of Parquet's parquet.thrift and with the numbers of its fields:
   *
   *   Footer := FileMetaData, length of it u32le, "PAR1"
   *   FileMetaData {
   *     1 version, 2 schema: SchemaElements, 3 rows, 4 RowGroups, 5 notes { 1 key, 2 value },
   *     6 writer, 7 orders of columns }
   *   RowGroup {
   *     1 ColumnChunks (see ColumnChunk), 2 bytes uncompressed, 3 rows, 5 file offset,
   *     6 bytes compressed }
   *   SchemaElement {
   *     1 type, 3 repetition, 4 name, 5 children, 6 converted type,
   *     10 logical type { 1 STRING, 2 MAP, 8 TIMESTAMP { 1 in UTC, 2 unit } } }
   *   unit { 1 MILLIS, 2 MICROS, 3 NANOS }
   */

  static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);

  private static final int VERSION = 2;
  private static final int REQUIRED = 0;
  private static final int OPTIONAL = 1;
  private static final int REPEATED = 2;
  private static final int UTF8 = 0;
  private static final int MAP = 1;
  private static final int MAP_KEY_VALUE = 2;
  private static final int TIMESTAMP_MILLIS = 9;
  private static final int TIMESTAMP_MICROS = 10;

  private Footer() {}

  /** Writes the fields of a node of the schema. */
  private interface Node {
    void write(CompactThrift thrift);
  }

  /**
   * Returns the bytes.
   *
   * @param unit of the column of times: not seconds
   * @param groups of {@link #group}
   * @param notes names and values that the file carries along
   */
  static byte[] encode(Resolution unit, long rows, List<byte[]> groups, Map<String, String> notes) {
    byte[] meta =
        CompactThrift.struct(file ->
            file.i32(1, VERSION)
                .structs(2, schema(unit), (thrift, node) -> node.write(thrift))
                .i64(3, rows)
                .encodedStructs(4, groups)
                .structs(
                    5,
                    List.copyOf(notes.entrySet()),
                    (thrift, note) -> thrift.text(1, note.getKey()).text(2, note.getValue()))
                .text(6, "varve")
                .structs(
                    7, List.of(Leaf.values()), (thrift, leaf) -> thrift.struct(1, order -> {})));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(meta);
    Bits.littleEndian(out, meta.length, Integer.BYTES);
    out.writeBytes(MAGIC);
    return out.toByteArray();
  }

  /**
   * Returns the entry of a row group.
   *
   * @param offset where its first column begins in the file
   */
  static byte[] group(List<ColumnChunk> columns, int rows, long offset) {
    long[] starts = new long[columns.size()];
    long at = offset;
    long expanded = 0;
    for (int i = 0; i < starts.length; i++) {
      starts[i] = at;
      at += columns.get(i).length();
      expanded += columns.get(i).expandedBytes();
    }
    long all = expanded;
    long compressed = at - offset;
    List<Integer> places = IntStream.range(0, starts.length).boxed().toList();
    return CompactThrift.struct(group ->
        group
            .structs(
                1, places, (thrift, place) -> columns.get(place).describe(thrift, starts[place]))
            .i64(2, all)
            .i64(3, rows)
            .i64(5, offset)
            .i64(6, compressed));
  }

  private static List<Node> schema(Resolution unit) {
    return List.of(
        root -> root.text(4, "varve").i32(5, 8),
        text("metric", REQUIRED),
        map("labels"),
        entry(),
        text("key", REQUIRED),
        text("value", REQUIRED),
        time(unit),
        value("value_double", Leaf.Type.DOUBLE),
        value("value_int64", Leaf.Type.INT64),
        text("value_string", OPTIONAL),
        text("field", REQUIRED),
        map("resource"),
        entry(),
        text("key", REQUIRED),
        text("value", REQUIRED));
  }

  private static Node text(String name, int repetition) {
    return node ->
        node.i32(1, Leaf.Type.BYTE_ARRAY.number())
            .i32(3, repetition)
            .text(4, name)
            .i32(6, UTF8)
            .struct(10, type -> type.struct(1, string -> {}));
  }

  private static Node value(String name, Leaf.Type type) {
    return node -> node.i32(1, type.number()).i32(3, OPTIONAL).text(4, name);
  }

  private static Node map(String name) {
    return node ->
        node.i32(3, REQUIRED)
            .text(4, name)
            .i32(5, 1)
            .i32(6, MAP)
            .struct(10, type -> type.struct(2, map -> {}));
  }

  private static Node entry() {
    return node -> node.i32(3, REPEATED).text(4, "key_value").i32(5, 2).i32(6, MAP_KEY_VALUE);
  }

  private static Node time(Resolution unit) {
    return node -> {
      node.i32(1, Leaf.Type.INT64.number()).i32(3, REQUIRED).text(4, "time");
      switch (unit) {
        case MILLISECONDS -> node.i32(6, TIMESTAMP_MILLIS);
        case MICROSECONDS -> node.i32(6, TIMESTAMP_MICROS);
        case NANOSECONDS -> {}
        case SECONDS -> throw new IllegalArgumentException("Parquet has no times in seconds");
      }
      int number = unit == Resolution.MILLISECONDS ? 1 : unit == Resolution.MICROSECONDS ? 2 : 3;
      node.struct(
          10,
          type ->
              type.struct(
                  8, time -> time.bool(1, true).struct(2, of -> of.struct(number, empty -> {}))));
    };
  }
}
