package dev.varve.store;

import dev.varve.model.Bytes;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A byte encoding for tuples of typed columns. It lets a table of typed columns appear as a table
 * of cells: the partition columns form the row key, the clustering columns the qualifier.
 *
 * <pre>
 *   text, blob its bytes, every 00 as 00 ff, then 00 01
 *   int        4 bytes, big-endian, sign flipped
 *   timestamp  8 bytes, ms since 1970, big-endian, sign flipped
 *   map        for each entry in key order: 01, key as text, value as text; then 00
 * </pre>
 *
 * Values follow each other without separators. The encodings of two tuples of the same types
 * compare as Cassandra compares the columns: texts by their UTF-8 bytes, numbers by value, frozen
 * maps entry by entry (key first, then value), a shorter map before its extensions. Every value is
 * self-delimiting, so the encoding of leading columns is a prefix of exactly the tuples that start
 * with them.
 */
public final class ColumnTuple {
  private static final int ENTRY = 1;
  private static final int END = 0;
  private static final int ESCAPED_ZERO = 0xff;
  private static final int END_OF_TEXT = 0x01;
  private static final int SIGN = 0x80;

  private ColumnTuple() {}

  /**
   * One column of a tuple.
   *
   * @param value in Cassandra's protocol encoding: a text or blob as its bytes, numbers big-endian,
   *     a map as the number of entries, then each key and value preceded by its length, all of four
   *     bytes
   * @param from index of its first byte in the tuple
   * @param to index after its last byte
   */
  public record Part(TypedColumn column, Bytes value, int from, int to) {}

  /** Encodes a tuple of values given in Cassandra's protocol encoding, one for each column. */
  public static Bytes join(List<TypedColumn> columns, List<ByteBuffer> values) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int i = 0; i < columns.size(); i++) {
      ByteBuffer value = values.get(i).duplicate();
      switch (columns.get(i).type()) {
        case TEXT, BLOB -> text(bytes(value, value.remaining()), out);
        case INT, TIMESTAMP -> number(bytes(value, value.remaining()), out);
        case MAP -> {
          for (int entries = value.getInt(); entries > 0; entries--) {
            out.write(ENTRY);
            text(bytes(value, value.getInt()), out);
            text(bytes(value, value.getInt()), out);
          }
          out.write(END);
        }
      }
    }
    return Bytes.of(out.toByteArray());
  }

  private static byte[] bytes(ByteBuffer from, int length) {
    byte[] bytes = new byte[length];
    from.get(bytes);
    return bytes;
  }

  /** Appends a text or blob. */
  private static void text(byte[] bytes, ByteArrayOutputStream out) {
    int written = 0;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == 0) {
        out.write(bytes, written, i + 1 - written);
        out.write(ESCAPED_ZERO);
        written = i + 1;
      }
    }
    out.write(bytes, written, bytes.length - written);
    out.write(0);
    out.write(END_OF_TEXT);
  }

  private static void number(byte[] bigEndian, ByteArrayOutputStream out) {
    out.write(bigEndian[0] ^ SIGN);
    out.write(bigEndian, 1, bigEndian.length - 1);
  }

  /**
   * Decodes a tuple.
   *
   * @throws IllegalArgumentException naming column, byte and reason, if the bytes are not a tuple
   *     of these columns
   */
  public static List<Part> split(Bytes tuple, List<TypedColumn> columns) {
    Reader reader = new Reader(tuple.toArray());
    List<Part> parts = new ArrayList<>(columns.size());
    for (TypedColumn column : columns) {
      int from = reader.at;
      Bytes value =
          Bytes.of(
              switch (column.type()) {
                case TEXT -> reader.text(column);
                case BLOB -> reader.blob(column);
                case INT -> reader.number(column, Integer.BYTES);
                case TIMESTAMP -> reader.number(column, Long.BYTES);
                case MAP -> reader.map(column);
              });
      parts.add(new Part(column, value, from, reader.at));
    }
    if (reader.at != tuple.length()) {
      throw new IllegalArgumentException(
          "%d extra bytes after column %s"
              .formatted(tuple.length() - reader.at, columns.getLast().name()));
    }
    return parts;
  }

  private static final class Reader {
    private final byte[] bytes;
    private int at;

    private Reader(byte[] bytes) {
      this.bytes = bytes;
    }

    private byte[] blob(TypedColumn column) {
      ByteArrayOutputStream blob = new ByteArrayOutputStream();
      while (true) {
        int next = u8(column);
        blob.write(next);
        if (next == 0) {
          int mark = u8(column);
          if (mark == END_OF_TEXT) {
            byte[] withEnd = blob.toByteArray();
            return Arrays.copyOf(withEnd, withEnd.length - 1);
          }
          if (mark != ESCAPED_ZERO) {
            throw damaged(column, at - 1, "00 %02x is neither an end nor a zero".formatted(mark));
          }
        }
      }
    }

    private byte[] text(TypedColumn column) {
      int start = at;
      byte[] text = blob(column);
      try {
        StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text));
        return text;
      } catch (CharacterCodingException e) {
        throw damaged(column, start, "the text is not UTF-8");
      }
    }

    private byte[] number(TypedColumn column, int width) {
      byte[] number = new byte[width];
      for (int i = 0; i < width; i++) {
        number[i] = (byte) u8(column);
      }
      number[0] ^= (byte) SIGN;
      return number;
    }

    private byte[] map(TypedColumn column) {
      List<byte[]> texts = new ArrayList<>();
      byte @Nullable [] before = null;
      int length = Integer.BYTES;
      while (true) {
        int mark = u8(column);
        if (mark == END) {
          break;
        }
        if (mark != ENTRY) {
          throw damaged(column, at - 1, "%02x is neither an entry nor the end".formatted(mark));
        }
        int start = at;
        byte[] key = text(column);
        if (before != null && Arrays.compareUnsigned(before, key) >= 0) {
          throw damaged(
              column,
              start,
              "key '%s' is out of order after '%s'"
                  .formatted(
                      new String(key, StandardCharsets.UTF_8),
                      new String(before, StandardCharsets.UTF_8)));
        }
        before = key;
        byte[] value = text(column);
        texts.add(key);
        texts.add(value);
        length += 2 * Integer.BYTES + key.length + value.length;
      }
      ByteBuffer map = ByteBuffer.allocate(length).putInt(texts.size() / 2);
      texts.forEach(text -> map.putInt(text.length).put(text));
      return map.array();
    }

    private int u8(TypedColumn column) {
      if (at == bytes.length) {
        throw damaged(column, at, "unexpected end of the bytes");
      }
      return bytes[at++] & 0xff;
    }

    private static IllegalArgumentException damaged(TypedColumn column, int place, String reason) {
      return new IllegalArgumentException(
          "column %s, byte %d: %s".formatted(column.name(), place, reason));
    }
  }
}
