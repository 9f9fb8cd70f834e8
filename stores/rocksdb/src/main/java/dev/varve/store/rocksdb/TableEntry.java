package dev.varve.store.rocksdb;

import dev.varve.model.Resolution;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.StoreException;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the store knows of one table. */
final class TableEntry {
  /*
   * In the default column family, under the key "table/" and the name, as lines of UTF-8:
   *
   *   id 7
   *   unit ms
   *   family DATA all points        // time use, versions kept, name
   *   family CLOCK 1 tags
   */
  private static final String ALL = "all";

  private final int id;
  private final TableSpec spec;
  private final boolean[] timed;

  /** Set by the writer, from whose view all writes are either before the drop or after it. */
  private volatile boolean dropped;

  TableEntry(int id, TableSpec spec) {
    this.id = id;
    this.spec = spec;
    this.timed = new boolean[spec.families().size()];
    for (int i = 0; i < timed.length; i++) {
      timed[i] = KeyFormat.isTimed(spec.families().get(i));
    }
  }

  /** The number that all keys of the table begin with; never given twice. */
  int id() {
    return id;
  }

  TableSpec spec() {
    return spec;
  }

  boolean isTimed(int family) {
    return timed[family];
  }

  void drop() {
    dropped = true;
  }

  boolean isDropped() {
    return dropped;
  }

  void ensureThere() {
    if (dropped) {
      throw new StoreException("table '%s' was dropped".formatted(spec.name()));
    }
  }

  String toText() {
    StringBuilder text = new StringBuilder();
    text.append("id ").append(Integer.toUnsignedString(id)).append('\n');
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
   * Reads what {@link #toText()} wrote.
   *
   * @throws StoreException if the text is damaged
   */
  static TableEntry parse(String name, String text) {
    try {
      List<String> lines = text.lines().toList();
      int id = Integer.parseUnsignedInt(after("id ", lines.get(0)));
      Resolution unit = Resolution.ofSymbol(after("unit ", lines.get(1)));
      List<FamilySpec> families = new ArrayList<>();
      for (int i = 2; i < lines.size(); i++) {
        String[] words = after("family ", lines.get(i)).split(" ", 3);
        families.add(
            new FamilySpec(
                words[2],
                TimeUse.valueOf(words[0].toUpperCase(Locale.ROOT)),
                words[1].equals(ALL) ? FamilySpec.ALL_VERSIONS : Integer.parseInt(words[1])));
      }
      return new TableEntry(id, new TableSpec(name, families, unit, Partitioning.NONE));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new StoreException(
          "the entry of table '%s' in the rocksdb store is damaged: %s".formatted(name, text), e);
    }
  }

  private static String after(String word, String line) {
    if (!line.startsWith(word)) {
      throw new IllegalArgumentException(line);
    }
    return line.substring(word.length());
  }
}
