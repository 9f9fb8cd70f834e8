package dev.varve.store.rocksdb;

import dev.varve.model.Resolution;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.StoreException;
import dev.varve.store.TableSpec;
import dev.varve.store.adapter.SpecText;
import java.util.List;

/** The catalog entry of one table. */
final class TableEntry {
  /*
   * In the default column family, under the key "table/" and the name, as lines of UTF-8:
   *
   *   id 7
   *   unit ms
   *   family DATA all points        // time use, versions kept, name
   *   family CLOCK 1 tags
   */
  private static final String FAMILY = "family ";

  private final int id;
  private final TableSpec spec;
  private final boolean[] timed;

  /**
   * Set by the writer thread, so that every write is ordered either before the drop or after it.
   */
  private volatile boolean dropped;

  TableEntry(int id, TableSpec spec) {
    this.id = id;
    this.spec = spec;
    this.timed = new boolean[spec.families().size()];
    for (int i = 0; i < timed.length; i++) {
      timed[i] = KeyFormat.isTimed(spec.families().get(i));
    }
  }

  /** Returns the number that starts all keys of the table; it is never reused. */
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
      text.append(FAMILY).append(SpecText.of(family)).append('\n');
    }
    return text.toString();
  }

  /**
   * Parses the text that {@link #toText()} returns.
   *
   * @throws StoreException if the text is damaged
   */
  static TableEntry parse(String name, String text) {
    try {
      List<String> lines = text.lines().toList();
      int id = Integer.parseUnsignedInt(SpecText.after("id ", lines.get(0)));
      Resolution unit = Resolution.ofSymbol(SpecText.after("unit ", lines.get(1)));
      List<FamilySpec> families = SpecText.families(lines.subList(2, lines.size()), FAMILY);
      return new TableEntry(id, new TableSpec(name, families, unit, Partitioning.NONE));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new StoreException(
          "the entry of table '%s' in the rocksdb store is damaged: %s".formatted(name, text), e);
    }
  }
}
