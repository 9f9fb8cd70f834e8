package dev.varve.layout.kairosdb;

import dev.varve.layout.DamagedCellException;
import dev.varve.model.Bytes;
import dev.varve.model.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The data type of a row. In a row key it is encoded as
 *
 * <pre>
 *   00              marks the type
 *   length          1 byte
 *   name            such as kairos_long
 * </pre>
 *
 * Rows written by versions before 0.9.4 have no type. Their tags follow at once, and no tag name
 * starts with a zero byte.
 */
// The arrays are never changed. They are shared to avoid an allocation per row.
@SuppressWarnings("ImmutableEnumChecker")
enum DataType {
  LONG("kairos_long", Kind.INT64),
  DOUBLE("kairos_double", Kind.DOUBLE),
  STRING("kairos_string", Kind.STRING),
  /** Numbers of both kinds, distinguished by a flag in the column name; read but never written. */
  UNTYPED("kairos_legacy", null);

  private static final DataType[] ALL = values();

  /** The types of rows that are written. */
  static final List<DataType> WRITTEN = List.of(LONG, DOUBLE, STRING);

  private final String typeName;
  private final @Nullable Kind kind;
  private final byte[] inKey;
  private final Bytes column;

  DataType(String typeName, @Nullable Kind kind) {
    this.typeName = typeName;
    this.kind = kind;
    byte[] name = typeName.getBytes(StandardCharsets.UTF_8);
    this.inKey = new byte[kind == null ? 0 : 2 + name.length];
    if (kind != null) {
      inKey[1] = (byte) name.length;
      System.arraycopy(name, 0, inKey, 2, name.length);
    }
    this.column = Tuple.texts(typeName);
  }

  static DataType of(Kind kind) {
    return switch (kind) {
      case INT64 -> LONG;
      case DOUBLE -> DOUBLE;
      case STRING -> STRING;
    };
  }

  /** Returns the type with a name from the index tables; null if the name is unknown. */
  static @Nullable DataType ofName(String typeName) {
    for (DataType type : ALL) {
      if (type.typeName.equals(typeName)) {
        return type;
      }
    }
    return null;
  }

  /**
   * Returns the type that a row key names at {@code from}.
   *
   * @throws DamagedCellException if the type is unknown
   */
  static DataType read(byte[] row, int from, int to) {
    if (from < to && row[from] != 0) {
      return UNTYPED;
    }
    for (DataType type : ALL) {
      int length = type.inKey.length;
      if (length > 0
          && to - from >= length
          && Arrays.equals(row, from, from + length, type.inKey, 0, length)) {
        return type;
      }
    }
    throw new DamagedCellException(unknown(row, from, to));
  }

  private static String unknown(byte[] row, int from, int to) {
    if (to - from < 2) {
      return "row key: ends at byte " + to + ", where the data type should be";
    }
    int length = row[from + 1] & 0xff;
    int end = from + 2 + length;
    if (end > to) {
      return "row key: the data type at byte %d should have %d bytes, %d are left"
          .formatted(from + 2, length, to - from - 2);
    }
    return "row key: data type '%s' at byte %d is not kairos_long, kairos_double or kairos_string"
        .formatted(new String(row, from + 2, length, StandardCharsets.UTF_8), from + 2);
  }

  /** The name in row keys and index tables. */
  String typeName() {
    return typeName;
  }

  /** The kind of all samples of the type; null for {@link #UNTYPED}. */
  @Nullable Kind kind() {
    return kind;
  }

  /** Returns the encoding of the type in row keys; not a copy. */
  byte[] inKey() {
    return inKey;
  }

  /** Returns the encoding of the type as a column of the index tables. */
  Bytes column() {
    return column;
  }
}
