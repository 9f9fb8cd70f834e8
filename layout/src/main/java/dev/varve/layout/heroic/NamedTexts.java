package dev.varve.layout.heroic;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.model.Tags;
import java.util.StringJoiner;
import java.util.function.BiConsumer;

/**
 * A count followed by names with values, sorted by {@link String#compareTo} of the names. Without
 * separators, nothing needs escaping.
 */
final class NamedTexts {
  private NamedTexts() {}

  static void write(Tags texts, boolean sizedTwice, KeyBytes out) {
    Varint.write(texts.size(), out);
    for (int i = 0; i < texts.size(); i++) {
      write(texts.name(i), sizedTwice, out);
      write(texts.value(i), sizedTwice, out);
    }
  }

  private static void write(String text, boolean sizedTwice, KeyBytes out) {
    if (sizedTwice) {
      HeroicText.writeSizedTwice(text, out);
    } else {
      HeroicText.writeSizedOnce(text, out);
    }
  }

  /**
   * Checks all names and values and returns the index after them.
   *
   * @throws DamagedCellException if a text is damaged or the names are not in ascending order
   */
  static int end(byte[] row, int from, int to, boolean sizedTwice) {
    int at = Varint.end(row, from, to);
    int count = Varint.value(row, from, at);
    int beforeFrom = 0;
    int beforeTo = -1;
    for (int i = 0; i < count; i++) {
      int nameEnd = HeroicText.end(row, at, to, sizedTwice);
      int nameFrom = HeroicText.begin(row, at, nameEnd, sizedTwice);
      if (beforeTo >= 0
          && HeroicText.compareUtf16(row, beforeFrom, beforeTo, nameFrom, nameEnd) >= 0) {
        throw new DamagedCellException(
            "row key: the name at byte " + at + " does not come after the one before it");
      }
      beforeFrom = nameFrom;
      beforeTo = nameEnd;
      at = HeroicText.end(row, nameEnd, to, sizedTwice);
    }
    return at;
  }

  /** Reads names and values that {@link #end} has checked. */
  static void read(
      byte[] row, int from, int end, boolean sizedTwice, BiConsumer<String, String> out) {
    int at = Varint.end(row, from, end);
    int count = Varint.value(row, from, at);
    for (int i = 0; i < count; i++) {
      int nameEnd = HeroicText.end(row, at, end, sizedTwice);
      int valueEnd = HeroicText.end(row, nameEnd, end, sizedTwice);
      out.accept(
          HeroicText.read(row, at, nameEnd, sizedTwice),
          HeroicText.read(row, nameEnd, valueEnd, sizedTwice));
      at = valueEnd;
    }
  }

  static String show(byte[] row, int from, int end, boolean sizedTwice) {
    StringJoiner shown = new StringJoiner(",");
    read(row, from, end, sizedTwice, (name, value) -> shown.add(name + "=" + value));
    return shown.toString();
  }
}
