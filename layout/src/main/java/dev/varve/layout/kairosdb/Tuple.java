package dev.varve.layout.kairosdb;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.model.Bytes;
import dev.varve.model.Tags;
import dev.varve.store.ColumnTuple;
import dev.varve.store.TypedColumn;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Encodes and decodes the {@link ColumnTuple}s of KairosDB's tables. */
final class Tuple {
  private static final int ENTRY = 1;
  private static final int END = 0;
  private static final int ESCAPED_ZERO = 0xff;
  private static final int END_OF_TEXT = 0x01;

  /** Cassandra sorts the entries of a map by the UTF-8 bytes of their keys. */
  private static final Comparator<String> BY_UTF8 =
      (a, b) ->
          Arrays.compareUnsigned(
              a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));

  private Tuple() {}

  static void text(String text, KeyBytes out) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int copied = 0;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == 0) {
        out.raw(bytes, copied, i + 1 - copied).u8(ESCAPED_ZERO);
        copied = i + 1;
      }
    }
    out.raw(bytes, copied, bytes.length - copied).u8(0).u8(END_OF_TEXT);
  }

  static void int32(int value, KeyBytes out) {
    out.u32(value ^ Integer.MIN_VALUE);
  }

  static void timestamp(long millis, KeyBytes out) {
    out.i64(millis ^ Long.MIN_VALUE);
  }

  static void map(Tags tags, KeyBytes out) {
    Map<String, String> sorted = new TreeMap<>(BY_UTF8);
    tags.forEach(sorted::put);
    sorted.forEach((name, value) -> {
      out.u8(ENTRY);
      text(name, out);
      text(value, out);
    });
    out.u8(END);
  }

  static Bytes texts(String... columns) {
    KeyBytes out = new KeyBytes();
    for (String column : columns) {
      text(column, out);
    }
    return out.toBytes();
  }

  /**
   * A decoded column.
   *
   * @param value a {@link String}, {@link Integer}, {@link Long} or {@link Tags}, depending on the
   *     type of the column
   * @param from index of its first byte
   * @param to index after its last byte
   */
  record Value(TypedColumn column, Object value, int from, int to) {}

  /**
   * Reads all columns of a row key or qualifier.
   *
   * @param where what the bytes are, for error messages
   * @throws DamagedCellException if the bytes are not a tuple of these columns
   */
  static List<Value> read(String where, Bytes tuple, List<TypedColumn> columns) {
    List<ColumnTuple.Part> parts;
    try {
      parts = ColumnTuple.split(tuple, columns);
    } catch (IllegalArgumentException e) {
      throw new DamagedCellException(where + ": " + e.getMessage());
    }
    List<Value> values = new ArrayList<>(parts.size());
    for (ColumnTuple.Part part : parts) {
      values.add(new Value(part.column(), value(part), part.from(), part.to()));
    }
    return values;
  }

  private static Object value(ColumnTuple.Part part) {
    ByteBuffer bytes = ByteBuffer.wrap(part.value().toArray());
    return switch (part.column().type()) {
      case TEXT -> part.value().toUtf8();
      case INT -> bytes.getInt();
      case TIMESTAMP -> bytes.getLong();
      case MAP -> tags(bytes);
      case BLOB -> part.value();
    };
  }

  private static Tags tags(ByteBuffer map) {
    Map<String, String> entries = new TreeMap<>(BY_UTF8);
    for (int count = map.getInt(); count > 0; count--) {
      String name = text(map);
      entries.put(name, text(map));
    }
    return Tags.of(entries);
  }

  private static String text(ByteBuffer map) {
    byte[] text = new byte[map.getInt()];
    map.get(text);
    return new String(text, StandardCharsets.UTF_8);
  }
}
