package dev.varve.layout.heroic;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import java.nio.charset.StandardCharsets;

/**
 * Texts in UTF-8 with a leading length. Metrics and tags have a second length, in UTF-16 units,
 * left over from an older version of the serializer:
 *
 * <pre>
 * sized twice  varint bytes, varint UTF-16 units, UTF-8
 * sized once   varint bytes, UTF-8
 * </pre>
 *
 * <p>Heroic truncates a text at an unpaired surrogate, keeps the second length of the whole text,
 * and reads the missing units back as U+0000. Varve does not write such texts, because different
 * ones may become equal. When reading, a truncated text with two lengths is reported as damaged.
 * With one length the truncation cannot be detected, so the text is read as stored.
 */
final class HeroicText {
  private HeroicText() {}

  /** Returns the index of the first unpaired surrogate, or -1. */
  static int loneSurrogate(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isHighSurrogate(text.charAt(i))
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(text.charAt(i))) {
        return i;
      }
    }
    return -1;
  }

  static void writeSizedTwice(String text, KeyBytes out) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    Varint.write(utf8.length, out);
    Varint.write(text.length(), out);
    out.raw(utf8);
  }

  static void writeSizedOnce(String text, KeyBytes out) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    Varint.write(utf8.length, out);
    out.raw(utf8);
  }

  /** Returns the index of the first byte of a text after its lengths. */
  static int begin(byte[] row, int from, int to, boolean sizedTwice) {
    int begin = Varint.end(row, from, to);
    return sizedTwice ? Varint.end(row, begin, to) : begin;
  }

  /**
   * Checks a text and returns the index after it.
   *
   * @throws DamagedCellException if the text is not UTF-8 or does not match its lengths
   */
  static int end(byte[] row, int from, int to, boolean sizedTwice) {
    int sized = Varint.end(row, from, to);
    int length = Varint.value(row, from, sized);
    int begin = begin(row, from, to, sizedTwice);
    if (length > to - begin) {
      throw new DamagedCellException(
          "row key: the text at byte %d has %d bytes, %d are left"
              .formatted(from, length, to - begin));
    }
    int units = utf16Units(row, begin, begin + length);
    if (units < 0) {
      throw new DamagedCellException("row key: the text at byte " + from + " is not UTF-8");
    }
    if (sizedTwice && units != Varint.value(row, sized, begin)) {
      throw new DamagedCellException(
          "row key: the text at byte %d has %d UTF-16 units and says %d; Heroic truncates texts at an unpaired surrogate"
              .formatted(from, units, Varint.value(row, sized, begin)));
    }
    return begin + length;
  }

  /** Reads a text that {@link #end} has checked. */
  static String read(byte[] row, int from, int end, boolean sizedTwice) {
    int begin = begin(row, from, end, sizedTwice);
    return new String(row, begin, end - begin, StandardCharsets.UTF_8);
  }

  /**
   * Counts the UTF-16 units of a text without decoding it.
   *
   * @return the number of units; -1 if the bytes are not well-formed UTF-8 (RFC 3629, section 4)
   */
  private static int utf16Units(byte[] bytes, int from, int to) {
    int units = 0;
    int at = from;
    while (at < to) {
      int lead = bytes[at] & 0xff;
      int length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
      if (length > to - at || (length > 1 && !wellFormed(bytes, at, lead, length))) {
        return -1;
      }
      units += length == 4 ? 2 : 1;
      at += length;
    }
    return units;
  }

  private static boolean wellFormed(byte[] bytes, int at, int lead, int length) {
    int second = bytes[at + 1] & 0xff;
    int lowest = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    int highest = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (lead < 0xc2 || lead > 0xf4 || second < lowest || second > highest) {
      return false;
    }
    for (int i = 2; i < length; i++) {
      if ((bytes[at + i] & 0xc0) != 0x80) {
        return false;
      }
    }
    return true;
  }

  /**
   * Compares two ranges of well-formed UTF-8 in the order of {@link String#compareTo}, by UTF-16
   * units: characters above U+FFFF come before U+E000.
   */
  static int compareUtf16(byte[] bytes, int aFrom, int aTo, int bFrom, int bTo) {
    int shorter = Math.min(aTo - aFrom, bTo - bFrom);
    for (int i = 0; i < shorter; i++) {
      int a = bytes[aFrom + i] & 0xff;
      int b = bytes[bFrom + i] & 0xff;
      if (a != b) {
        boolean aboveBmp = (a >= 0xf0) != (b >= 0xf0);
        return aboveBmp && Math.min(a, b) >= 0xee ? b - a : a - b;
      }
    }
    return (aTo - aFrom) - (bTo - bFrom);
  }
}
