package dev.varve.layout.kairosdb;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.model.Bytes;
import dev.varve.model.Tags;
import java.nio.charset.StandardCharsets;

/**
 * The encoding of tags at the end of a row key. Tags are sorted by name in the order of {@link
 * String#compareTo}. Each is written as
 *
 * <pre>
 *   name     UTF-8, each : and = with a : before it
 *   =
 *   value    UTF-8, each : and = with a = before it
 *   :
 * </pre>
 *
 * Versions before 1.1.3 did not escape names and values. Later versions misread such keys where
 * escaping matters; this class rejects them.
 */
final class TagString {
  private static final byte NAME_ESCAPE = ':';
  private static final byte VALUE_ESCAPE = '=';

  private TagString() {}

  static Bytes of(Tags tags) {
    KeyBytes out = new KeyBytes();
    tags.forEach((name, value) -> {
      escape(name, NAME_ESCAPE, out);
      out.u8('=');
      escape(value, VALUE_ESCAPE, out);
      out.u8(':');
    });
    return out.toBytes();
  }

  private static void escape(String text, byte escape, KeyBytes out) {
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      if (b == ':' || b == '=') {
        out.u8(escape);
      }
      out.u8(b);
    }
  }

  /** Receives decoded tags. */
  interface Sink {
    void tag(String name, String value);
  }

  static void read(byte[] row, int from, int to, Sink sink) {
    check(row, from, to);
    int at = from;
    while (at < to) {
      int nameEnd = end(row, at, to, NAME_ESCAPE);
      int valueEnd = end(row, nameEnd + 1, to, VALUE_ESCAPE);
      sink.tag(
          unescape(row, at, nameEnd, NAME_ESCAPE),
          unescape(row, nameEnd + 1, valueEnd, VALUE_ESCAPE));
      at = valueEnd + 1;
    }
  }

  /**
   * Checks, without allocating, that the bytes are what {@link #of} writes. No tags at all are
   * valid: KairosDB accepts such points if the client disables validation.
   *
   * @throws DamagedCellException if they are not
   */
  static void check(byte[] row, int from, int to) {
    int malformed = Utf8.malformedAt(row, from, to);
    if (malformed >= 0) {
      throw new DamagedCellException(
          "row key: byte %d, %02x, of the tags is not UTF-8".formatted(malformed, row[malformed]));
    }
    int before = -1;
    int beforeEnd = -1;
    int at = from;
    while (at < to) {
      int nameEnd = end(row, at, to, NAME_ESCAPE);
      int valueEnd = end(row, nameEnd + 1, to, VALUE_ESCAPE);
      if (nameEnd == at || valueEnd == nameEnd + 1) {
        throw new DamagedCellException(
            "row key: the tag %s at byte %d is empty"
                .formatted(nameEnd == at ? "name" : "value", nameEnd == at ? at : valueEnd));
      }
      if (before >= 0 && compareNames(row, before, beforeEnd, at, nameEnd) >= 0) {
        throw new DamagedCellException(
            "row key: tag '%s' at byte %d comes after '%s'"
                .formatted(
                    unescape(row, at, nameEnd, NAME_ESCAPE),
                    at,
                    unescape(row, before, beforeEnd, NAME_ESCAPE)));
      }
      before = at;
      beforeEnd = nameEnd;
      at = valueEnd + 1;
    }
  }

  /** Returns the index of the delimiter that ends a name ({@code =}) or a value ({@code :}). */
  private static int end(byte[] row, int from, int to, byte escape) {
    byte delimiter = escape == NAME_ESCAPE ? VALUE_ESCAPE : NAME_ESCAPE;
    for (int at = from; at < to; at++) {
      if (row[at] == delimiter) {
        return at;
      }
      if (row[at] == 0) {
        throw new DamagedCellException(
            "row key: byte %d of the tags is 00; tags cannot contain NUL".formatted(at));
      }
      if (row[at] == escape) {
        at++;
        if (at == to || (row[at] != ':' && row[at] != '=')) {
          throw new DamagedCellException(
              ("row key: the '%c' at byte %d of a tag %s escapes neither ':' nor '='; versions"
                      + " before 1.1.3 wrote such keys, whose meaning is ambiguous")
                  .formatted(escape, at - 1, escape == NAME_ESCAPE ? "name" : "value"));
        }
      }
    }
    throw new DamagedCellException(
        "row key: ends at byte %d inside the tag %s that starts at byte %d"
            .formatted(to, escape == NAME_ESCAPE ? "name" : "value", from));
  }

  private static String unescape(byte[] row, int from, int to, byte escape) {
    byte[] text = new byte[to - from];
    int length = 0;
    for (int at = from; at < to; at++) {
      if (row[at] == escape) {
        at++;
      }
      text[length++] = row[at];
    }
    return new String(text, 0, length, StandardCharsets.UTF_8);
  }

  /**
   * Compares two escaped names by their UTF-16 code units. This is the order of their UTF-8 bytes,
   * except that characters above U+FFFF (lead bytes f0 to f4) come before U+E000 to U+FFFF (lead
   * bytes ee and ef).
   */
  private static int compareNames(byte[] row, int a, int aEnd, int b, int bEnd) {
    while (a < aEnd && b < bEnd) {
      if (row[a] == NAME_ESCAPE) {
        a++;
      }
      if (row[b] == NAME_ESCAPE) {
        b++;
      }
      int order = Integer.compare(rank(row[a++]), rank(row[b++]));
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(aEnd - a, bEnd - b);
  }

  private static int rank(byte utf8) {
    int unsigned = utf8 & 0xff;
    return unsigned == 0xee || unsigned == 0xef ? unsigned + 0x10 : unsigned;
  }
}
