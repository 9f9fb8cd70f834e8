package dev.varve.layout.declared;

import dev.varve.layout.declared.FamilyDeclaration.ValueForm;
import dev.varve.model.Column;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The columns of a group that belong in packed cells, ordered by family and then by name. */
final class PackedColumns {
  private record Entry(FamilyColumns family, byte[] name, Column column, int indexInGroup) {}

  private static final Comparator<Entry> ORDER =
      Comparator.comparingInt((Entry entry) -> entry.family().index)
          .thenComparing(Entry::name, Arrays::compareUnsigned);

  private final Entry[] entries;

  private PackedColumns(Entry[] entries) {
    this.entries = entries;
  }

  /** Returns null if no column belongs in a packed cell. */
  static @Nullable PackedColumns of(List<Column> columns, @Nullable FamilyColumns[] families) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < families.length; i++) {
      FamilyColumns family = families[i];
      if (family != null && family.form == ValueForm.ALL) {
        Column column = columns.get(i);
        byte[] name = column.field().getBytes(StandardCharsets.UTF_8);
        entries.add(new Entry(family, name, column, i));
      }
    }
    entries.sort(ORDER);
    return entries.isEmpty() ? null : new PackedColumns(entries.toArray(Entry[]::new));
  }

  int size() {
    return entries.length;
  }

  FamilyColumns family(int index) {
    return entries[index].family();
  }

  byte[] name(int index) {
    return entries[index].name();
  }

  Column column(int index) {
    return entries[index].column();
  }

  int indexInGroup(int index) {
    return entries[index].indexInGroup();
  }

  /** Returns the index after the last column of the family that {@code first} belongs to. */
  int endOfFamily(int first) {
    int end = first + 1;
    while (end < entries.length && entries[end].family() == entries[first].family()) {
      end++;
    }
    return end;
  }

  /**
   * Returns whether a later column of the same field, but another kind, also has a value in the
   * slot.
   */
  boolean shadowed(int index, int end, int place) {
    for (int i = index + 1; i < end && Arrays.equals(name(i), name(index)); i++) {
      if (column(i).has(place)) {
        return true;
      }
    }
    return false;
  }
}
