package dev.varve.store.rocksdb;

import dev.varve.model.Bytes;
import dev.varve.store.FamilySelect;
import dev.varve.store.QualifierRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A range of keys within a row that a read selects. Its bounds are the parts of keys after the row:
 * {@code from} is inclusive, {@code to} exclusive. The ranges are the same in every row, except in
 * the first and last row of a slice.
 */
record RowRange(FamilySelect select, byte[] from, byte[] to) {
  private static final QualifierRange ALL = new QualifierRange(Bytes.EMPTY, null);

  /**
   * Returns the ranges of a row, in key order.
   *
   * @param from the first qualifier to read in each family
   * @param to the qualifier at which to stop in each family, exclusive; null for no end
   */
  static List<RowRange> of(List<FamilySelect> families, Bytes from, @Nullable Bytes to) {
    List<RowRange> ranges = new ArrayList<>();
    for (FamilySelect select : families) {
      List<QualifierRange> qualifiers =
          select.qualifiers().isEmpty() ? List.of(ALL) : select.qualifiers();
      for (QualifierRange range : qualifiers) {
        Bytes first = range.from().compareTo(from) < 0 ? from : range.from();
        Bytes end = earlier(range.to(), to);
        if (end == null || first.compareTo(end) < 0) {
          ranges.add(
              new RowRange(
                  select,
                  column(select.family(), first),
                  end == null
                      ? new byte[] {(byte) (select.family() + 1)}
                      : column(select.family(), end)));
        }
      }
    }
    return ranges;
  }

  /** Returns the part of the ranges from a position in the row on. */
  static List<RowRange> from(List<RowRange> ranges, byte[] position) {
    List<RowRange> left = new ArrayList<>();
    for (RowRange range : ranges) {
      if (Arrays.compareUnsigned(range.to, position) > 0) {
        left.add(
            Arrays.compareUnsigned(range.from, position) < 0
                ? new RowRange(range.select, position, range.to)
                : range);
      }
    }
    return left;
  }

  int family() {
    return select.family();
  }

  private static @Nullable Bytes earlier(@Nullable Bytes a, @Nullable Bytes b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return a.compareTo(b) < 0 ? a : b;
  }

  private static byte[] column(int family, Bytes qualifier) {
    GrowingBytes key = new GrowingBytes(qualifier.length() + 8);
    KeyFormat.addColumn(key, family, qualifier.toArray(), 0, qualifier.length());
    return key.toArray();
  }
}
