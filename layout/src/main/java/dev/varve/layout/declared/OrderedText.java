package dev.varve.layout.declared;

import dev.varve.layout.KeyBytes;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * An encoding of texts of any length that preserves their order, even if something follows.
 *
 * <pre>
 * Text  := (byte but 00 | 00 ff)*      // UTF-8, every 00 followed by ff
 * Ended := Text 00 01
 * Field := (nothing)                   // the field "value"
 *        | 00 02                       // the field ""
 *        | Text                        // every other
 * </pre>
 *
 * A text ends before {@code 00 01} or where the key ends; no other byte than the above follows
 * {@code 00}. A text sorts before its extensions, because {@code 00 01} is less than {@code 00 ff}
 * and than every other byte.
 */
final class OrderedText {
  static final int ESCAPED = 0xff;
  static final int END = 0x01;
  private static final int EMPTY_FIELD = 0x02;

  private OrderedText() {}

  /** Appends a text without terminator; it must not contain unpaired surrogates. */
  static void append(String text, KeyBytes out) {
    for (int i = 0; i < text.length(); ) {
      int codePoint = text.codePointAt(i);
      Utf8.append(codePoint, out);
      if (codePoint == 0) {
        out.u8(ESCAPED);
      }
      i += Character.charCount(codePoint);
    }
  }

  static void append(byte[] utf8, int from, int to, KeyBytes out) {
    for (int i = from; i < to; i++) {
      out.u8(utf8[i]);
      if (utf8[i] == 0) {
        out.u8(ESCAPED);
      }
    }
  }

  static void appendEnded(String text, KeyBytes out) {
    append(text, out);
    end(out);
  }

  static void end(KeyBytes out) {
    out.u8(0).u8(END);
  }

  static void appendField(String field, KeyBytes out) {
    if (field.isEmpty()) {
      out.u8(0).u8(EMPTY_FIELD);
    } else if (!field.equals(Series.DEFAULT_FIELD)) {
      append(field, out);
    }
  }

  /**
   * Returns where the {@code 00 01} of a text starts, or -1 if there is none or the text is
   * damaged.
   */
  static int endOfText(byte[] bytes, int from, int to) {
    // Nearly all texts are plain ASCII, whose end a single pass finds.
    int at = from;
    while (at < to && bytes[at] > 0) {
      at++;
    }
    if (at + 1 < to && bytes[at] == 0 && bytes[at + 1] == END) {
      return at;
    }
    int end = endOf(bytes, from, to);
    return end >= 0 && isText(bytes, from, end) ? end : -1;
  }

  /** Like {@link #endOfText}, without checking that the preceding bytes are UTF-8. */
  static int endOf(byte[] bytes, int from, int to) {
    for (int at = from; at < to - 1; at++) {
      if (bytes[at] == 0) {
        if (bytes[at + 1] == END) {
          return at;
        }
        if (bytes[at + 1] != (byte) ESCAPED) {
          return -1;
        }
        at++;
      }
    }
    return -1;
  }

  /** Returns where the {@code 00 01} of a field starts, or -1. */
  static int endOfField(byte[] bytes, int from, int to) {
    return isEmptyField(bytes, from, Math.min(to, from + 2))
        ? (to - from >= 4 && bytes[from + 2] == 0 && bytes[from + 3] == END ? from + 2 : -1)
        : endOf(bytes, from, to);
  }

  /** Returns whether the bytes are a text as written by {@link #append}. */
  static boolean isText(byte[] bytes, int from, int to) {
    // Only NUL is encoded with a byte 00, so the bytes in between can be checked by themselves.
    int start = from;
    for (int at = from; at < to; at++) {
      if (bytes[at] == 0) {
        if (at + 1 == to || bytes[at + 1] != (byte) ESCAPED || !Utf8.valid(bytes, start, at)) {
          return false;
        }
        at++;
        start = at + 1;
      }
    }
    return Utf8.valid(bytes, start, to);
  }

  /** Returns whether the bytes are a field as written by {@link #appendField}. */
  static boolean isField(byte[] bytes, int from, int to) {
    return from == to
        || isEmptyField(bytes, from, to)
        || (isText(bytes, from, to) && !equals(bytes, from, to, Series.DEFAULT_FIELD));
  }

  private static boolean isEmptyField(byte[] bytes, int from, int to) {
    return to - from == 2 && bytes[from] == 0 && bytes[from + 1] == EMPTY_FIELD;
  }

  /**
   * Compares two texts like {@link String#compareTo}, by UTF-16 code units. The order of UTF-8
   * differs only in that surrogates (bytes from {@code f0} on) come before U+E000 ({@code ee},
   * {@code ef}).
   */
  static int compare(byte[] bytes, int from, int to, int otherFrom, int otherTo) {
    int length = Math.min(to - from, otherTo - otherFrom);
    int same = Arrays.mismatch(bytes, from, from + length, bytes, otherFrom, otherFrom + length);
    return same < 0
        ? Integer.compare(to - from, otherTo - otherFrom)
        : Integer.compare(unitOrder(bytes[from + same]), unitOrder(bytes[otherFrom + same]));
  }

  private static int unitOrder(byte lead) {
    int unsigned = lead & 0xff;
    return unsigned == 0xee || unsigned == 0xef ? unsigned + 0x10 : unsigned;
  }

  /** Decodes bytes for which {@link #isText} holds. */
  static String read(byte[] bytes, int from, int to) {
    for (int at = from; at < to; at++) {
      if (bytes[at] == 0) {
        return new String(unescape(bytes, from, to), StandardCharsets.UTF_8);
      }
    }
    return new String(bytes, from, to - from, StandardCharsets.UTF_8);
  }

  /** Adds the text of bytes for which {@link #isText} holds as a sample. */
  static void read(byte[] bytes, int from, int to, long time, long stamp, Samples out) {
    out.add(time, bytes, from, 0, stamp);
    int start = from;
    for (int at = from; at < to; at++) {
      if (bytes[at] == 0) {
        out.lengthen(bytes, start, at + 1 - start);
        at++;
        start = at + 1;
      }
    }
    out.lengthen(bytes, start, to - start);
  }

  /** Decodes the field of bytes for which {@link #isField} holds. */
  static String readField(byte[] bytes, int from, int to) {
    if (from == to) {
      return Series.DEFAULT_FIELD;
    }
    return isEmptyField(bytes, from, to) ? "" : read(bytes, from, to);
  }

  /** Returns whether the bytes encode an ASCII text; always false for other texts. */
  static boolean equals(byte[] bytes, int from, int to, String text) {
    if (text.length() != to - from) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != bytes[from + i] || c == 0) {
        return false;
      }
    }
    return true;
  }

  private static byte[] unescape(byte[] bytes, int from, int to) {
    byte[] text = new byte[to - from];
    int length = 0;
    for (int at = from; at < to; at++) {
      text[length++] = bytes[at];
      if (bytes[at] == 0) {
        at++;
      }
    }
    return Arrays.copyOf(text, length);
  }
}
