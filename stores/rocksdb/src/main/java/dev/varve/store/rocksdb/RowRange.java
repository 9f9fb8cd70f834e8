package dev.varve.store.rocksdb;

import dev.varve.model.Bytes;
import dev.varve.store.FamilySelect;
import dev.varve.store.QualifierRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of keys within a row that a read selects: what comes behind the row in the first key of
 * the stretch, and in the first key behind it. The same in every row, but for the first and the
 * last of a slice.
 */
record RowRange(FamilySelect select, byte[] from, byte[] to) {
  private static final QualifierRange ALL = new QualifierRange(Bytes.EMPTY, null);

  /**
   * The stretches of a row, in the order of its keys.
   *
   * @param from the first qualifier to read of each family
   * @param to the qualifier before which to stop in each family, or null for none
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

  /** What is left of the stretches from a position in the row on. */
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
