package dev.varve.store.bigtable;

import dev.varve.model.Resolution;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.StoreException;
import dev.varve.store.TableSpec;
import dev.varve.store.adapter.SpecText;
import java.util.List;

/** Reads and writes the catalog's text about a table. */
final class TableEntry {
  /*
   * format 1
   * unit us
   * family DATA all points        // time use, versions kept, name
   * family CLOCK 1 tags
   */
  private static final String FAMILY = "family ";
  private static final String FORMAT = "1";

  private TableEntry() {}

  static String toText(TableSpec spec) {
    StringBuilder text = new StringBuilder();
    text.append("format ").append(FORMAT).append('\n');
    text.append("unit ").append(spec.timeUnit().symbol()).append('\n');
    for (FamilySpec family : spec.families()) {
      text.append(FAMILY).append(SpecText.of(family)).append('\n');
    }
    return text.toString();
  }

  /**
   * Parses the result of {@link #toText}.
   *
   * @throws StoreException if the text is damaged or has another format
   */
  static TableSpec parse(String name, String text) {
    try {
      List<String> lines = text.lines().toList();
      String format = SpecText.after("format ", lines.get(0));
      if (!format.equals(FORMAT)) {
        throw new StoreException(
            "table '%s' of the bigtable store is of format %s, this version reads format %s"
                .formatted(name, format, FORMAT));
      }
      Resolution unit = Resolution.ofSymbol(SpecText.after("unit ", lines.get(1)));
      List<FamilySpec> families = SpecText.families(lines.subList(2, lines.size()), FAMILY);
      return new TableSpec(name, families, unit, Partitioning.NONE);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new StoreException(
          "the entry of table '%s' in the bigtable store is damaged: %s".formatted(name, text), e);
    }
  }
}
