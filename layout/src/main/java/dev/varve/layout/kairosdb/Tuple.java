package dev.varve.layout.kairosdb;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.model.Bytes;
import dev.varve.model.Tags;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Tuples of typed columns as one string of bytes, so that a table of typed columns is a table of
 * cells: the partition columns make the row key, the clustering columns the qualifier.
 *
 * <pre>
 *   text       UTF-8, every 00 as 00 ff, then 00 01
 *   int        4 bytes, big-endian, sign flipped
 *   timestamp  8 bytes, ms since 1970, big-endian, sign flipped
 *   map        for each entry in the order of its key: 01, key as text, value as text; then 00
 * </pre>
 *
 * One behind the other with nothing between. The bytes of two tuples of the same types are ordered
 * as Cassandra orders the columns: texts by their UTF-8 bytes, numbers by value, frozen maps entry
 * by entry, first the key and then the value, the shorter first where all of it is equal. Each
 * column knows where it ends, so that the bytes of leading columns are a prefix that holds no other
 * tuples.
 */
final class Tuple {
  /** The type of a column. */
  enum ColumnType {
    TEXT,
    INT,
    TIMESTAMP,
    MAP
  }

  /** A column of a table; its name is the one that it has in Cassandra. */
  record Column(String name, ColumnType type) {}

  private static final int ENTRY = 1;
  private static final int END = 0;
  private static final int ESCAPED_ZERO = 0xff;
  private static final int END_OF_TEXT = 0x01;

  /** Cassandra keeps the entries of a map in the order of the bytes of their keys. */
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
   * A column as it was read.
   *
   * @param value a {@link String}, {@link Integer}, {@link Long} or {@link Tags}, by its type
   * @param from its first byte
   * @param to the byte behind its last
   */
  record Value(Column column, Object value, int from, int to) {}

  /**
   * Reads all columns of a row key or qualifier.
   *
   * @param where what the bytes are, for the message
   * @throws DamagedCellException if they are not what the functions above write
   */
  static List<Value> read(String where, Bytes tuple, List<Column> columns) {
    Reader reader = new Reader(where, tuple.toArray());
    List<Value> values = new ArrayList<>(columns.size());
    for (Column column : columns) {
      int from = reader.at;
      Object value =
          switch (column.type) {
            case TEXT -> reader.text(column);
            case INT -> reader.int32(column);
            case TIMESTAMP -> reader.timestamp(column);
            case MAP -> reader.map(column);
          };
      values.add(new Value(column, value, from, reader.at));
    }
    if (reader.at != tuple.length()) {
      throw new DamagedCellException(
          "%s: %d bytes too many behind column %s"
              .formatted(where, tuple.length() - reader.at, columns.getLast().name));
    }
    return values;
  }

  private static final class Reader {
    private final String where;
    private final byte[] bytes;
    private int at;

    private Reader(String where, byte[] bytes) {
      this.where = where;
      this.bytes = bytes;
    }

    private String text(Column column) {
      KeyBytes text = new KeyBytes();
      int start = at;
      while (true) {
        int next = u8(column);
        if (next != 0) {
          text.u8(next);
          continue;
        }
        int mark = u8(column);
        if (mark == END_OF_TEXT) {
          break;
        }
        if (mark != ESCAPED_ZERO) {
          throw damaged(column, at - 1, "00 %02x is neither an end nor a zero".formatted(mark));
        }
        text.u8(0);
      }
      int malformed = Utf8.malformedAt(text.array(), 0, text.length());
      if (malformed >= 0) {
        throw damaged(column, start, "the text is not UTF-8");
      }
      return new String(text.array(), 0, text.length(), StandardCharsets.UTF_8);
    }

    private int int32(Column column) {
      return (int) number(column, 4) ^ Integer.MIN_VALUE;
    }

    private long timestamp(Column column) {
      return number(column, 8) ^ Long.MIN_VALUE;
    }

    private Tags map(Column column) {
      Map<String, String> entries = new TreeMap<>(BY_UTF8);
      String before = null;
      while (true) {
        int mark = u8(column);
        if (mark == END) {
          return Tags.of(entries);
        }
        if (mark != ENTRY) {
          throw damaged(column, at - 1, "%02x is neither an entry nor the end".formatted(mark));
        }
        int start = at;
        String name = text(column);
        if (before != null && BY_UTF8.compare(before, name) >= 0) {
          throw damaged(column, start, "key '" + name + "' comes behind '" + before + "'");
        }
        entries.put(name, text(column));
        before = name;
      }
    }

    private long number(Column column, int width) {
      long number = 0;
      for (int i = 0; i < width; i++) {
        number = (number << 8) | u8(column);
      }
      return number;
    }

    private int u8(Column column) {
      if (at == bytes.length) {
        throw damaged(column, at, "the bytes end here");
      }
      return bytes[at++] & 0xff;
    }

    private DamagedCellException damaged(Column column, int place, String reason) {
      return new DamagedCellException(
          "%s: column %s, byte %d: %s".formatted(where, column.name, place, reason));
    }
  }
}
