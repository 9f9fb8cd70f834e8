package dev.varve.layout.kairosdb;

import dev.varve.layout.DamagedCellException;
import dev.varve.model.Bytes;
import dev.varve.model.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The data types that rows are of. A row key names its type so:
 *
 * <pre>
 *   00              there is a type
 *   length          1 byte
 *   name            such as kairos_long
 * </pre>
 *
 * or, in rows that versions before 0.9.4 wrote, not at all: the tags follow at once, and no tag
 * name begins with a zero byte there.
 */
// Nobody changes the bytes; they are made once and not once a row.
@SuppressWarnings("ImmutableEnumChecker")
enum DataType {
  LONG("kairos_long", Kind.INT64),
  DOUBLE("kairos_double", Kind.DOUBLE),
  STRING("kairos_string", Kind.STRING),
  /** Numbers of both kinds, told apart by a flag in the column; read, never written. */
  UNTYPED("kairos_legacy", null);

  private static final DataType[] ALL = values();

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

  /** The type of a name, as index tables have it; null where it is none that is known here. */
  static @Nullable DataType ofName(String typeName) {
    for (DataType type : ALL) {
      if (type.typeName.equals(typeName)) {
        return type;
      }
    }
    return null;
  }

  /**
   * The type that a row key names at {@code from}.
   *
   * @throws DamagedCellException if it names one that is not known here
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

  /** The name as it stands in row keys and index tables. */
  String typeName() {
    return typeName;
  }

  /** The kind of all its samples; null for {@link #UNTYPED}. */
  @Nullable Kind kind() {
    return kind;
  }

  /** What of a row key names the type; the type's own array. */
  byte[] inKey() {
    return inKey;
  }

  /** The type as a column of the index tables. */
  Bytes column() {
    return column;
  }
}
