package dev.varve.store.bigtable;

import dev.varve.model.Resolution;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.StoreException;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.util.ArrayList;
import java.util.List;

/** What the store writes down of a table, as text. */
final class TableEntry {
  /*
   *   format 1
   *   unit us
   *   family DATA all points        // time use, versions kept, name
   *   family CLOCK 1 tags
   */
  private static final String ALL = "all";
  private static final String FORMAT = "1";

  private TableEntry() {}

  static String toText(TableSpec spec) {
    StringBuilder text = new StringBuilder();
    text.append("format ").append(FORMAT).append('\n');
    text.append("unit ").append(spec.timeUnit().symbol()).append('\n');
    for (FamilySpec family : spec.families()) {
      text.append("family ")
          .append(family.time())
          .append(' ')
          .append(
              family.maxVersions() == FamilySpec.ALL_VERSIONS
                  ? ALL
                  : Integer.toString(family.maxVersions()))
          .append(' ')
          .append(family.name())
          .append('\n');
    }
    return text.toString();
  }

  /**
   * Reads what {@link #toText} wrote.
   *
   * @throws StoreException if the text is damaged, or of another format
   */
  static TableSpec parse(String name, String text) {
    try {
      List<String> lines = text.lines().toList();
      String format = after("format ", lines.get(0));
      if (!format.equals(FORMAT)) {
        throw new StoreException(
            "table '%s' of the bigtable store is of format %s, this version reads format %s"
                .formatted(name, format, FORMAT));
      }
      Resolution unit = Resolution.ofSymbol(after("unit ", lines.get(1)));
      List<FamilySpec> families = new ArrayList<>();
      for (int i = 2; i < lines.size(); i++) {
        String[] words = after("family ", lines.get(i)).split(" ", 3);
        families.add(
            new FamilySpec(
                words[2],
                TimeUse.valueOf(words[0]),
                words[1].equals(ALL) ? FamilySpec.ALL_VERSIONS : Integer.parseInt(words[1])));
      }
      return new TableSpec(name, families, unit, Partitioning.NONE);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new StoreException(
          "the entry of table '%s' in the bigtable store is damaged: %s".formatted(name, text), e);
    }
  }

  private static String after(String word, String line) {
    if (!line.startsWith(word)) {
      throw new IllegalArgumentException(line);
    }
    return line.substring(word.length());
  }
}
