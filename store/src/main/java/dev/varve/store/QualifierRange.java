package dev.varve.store;

import dev.varve.model.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Qualifiers from {@code from} (inclusive) to {@code to} (exclusive); null means no upper bound.
 */
public record QualifierRange(Bytes from, @Nullable Bytes to) {
  private static final List<QualifierRange> ALL = List.of(new QualifierRange(Bytes.EMPTY, null));

  /**
   * Returns the parts of some ranges that lie in another one.
   *
   * @param ranges none for all qualifiers
   * @param to end of the other range, exclusive; null for no upper bound
   */
  public static List<QualifierRange> clip(
      List<QualifierRange> ranges, Bytes from, @Nullable Bytes to) {
    List<QualifierRange> clipped = new ArrayList<>();
    for (QualifierRange range : ranges.isEmpty() ? ALL : ranges) {
      Bytes start = range.from().compareTo(from) >= 0 ? range.from() : from;
      Bytes rangeEnd = range.to();
      Bytes end = rangeEnd == null || (to != null && to.compareTo(rangeEnd) < 0) ? to : rangeEnd;
      if (end == null || start.compareTo(end) < 0) {
        clipped.add(new QualifierRange(start, end));
      }
    }
    return clipped;
  }

  public static QualifierRange exactly(Bytes qualifier) {
    return new QualifierRange(qualifier, qualifier.successor());
  }

  public static QualifierRange prefix(Bytes prefix) {
    return new QualifierRange(prefix, prefix.prefixEnd());
  }
}
