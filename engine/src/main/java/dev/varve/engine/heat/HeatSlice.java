package dev.varve.engine.heat;

import dev.varve.model.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The reads and writes of one server in the ranges of a table, in a slice of time.
 *
 * @param from milliseconds since 1970, inclusive
 * @param to exclusive
 * @param ranges in the order of their keys; together they cover the whole table
 * @param written the rows between which most writes went; null if too few were sampled
 * @param busiestRead the partition that was read most; null if too few reads were sampled
 * @param busiestWritten the partition that was written most; null if too few writes were sampled
 * @param largest the largest row that was read; null if none was larger than a page
 */
public record HeatSlice(
    long from,
    long to,
    List<Range> ranges,
    @Nullable Stretch written,
    @Nullable Busiest busiestRead,
    @Nullable Busiest busiestWritten,
    @Nullable LargeRow largest) {
  public HeatSlice {
    ranges = List.copyOf(ranges);
  }

  /**
   * A range of rows, up to the start of the next one.
   *
   * @param from its first possible row; empty for the first range
   * @param sampled the rows between which most of its load lies; null if they are unknown
   */
  public record Range(Bytes from, Load load, @Nullable Stretch sampled) {}

  /** Rows from {@code first} to {@code last}, both inclusive. */
  public record Stretch(Bytes first, Bytes last) {}

  /**
   * A partition with its share of the sampled cells.
   *
   * @param row a row of the partition
   * @param samples number of samples in the partition
   * @param outOf number of samples in the table
   * @param partitions number of different partitions among them
   */
  public record Busiest(Bytes row, int prefix, int samples, int outOf, int partitions) {
    Bytes partition() {
      return row.slice(0, prefix);
    }
  }

  /** A large row, with the bytes and cells that a read of it or of a part of it returned. */
  public record LargeRow(Bytes row, long bytes, long cells) {}

  /** Decides whether a user may see the load of a range of rows. */
  @FunctionalInterface
  public interface Admission {
    /**
     * Returns whether all rows that the range could have may be shown.
     *
     * @param from a whole key, or a key followed by a zero; not empty
     * @param to exclusive
     */
    boolean admits(Bytes from, Bytes to);
  }

  /**
   * Returns a slice with the loads of the admitted ranges only. The slice reveals nothing about
   * other rows: neither their keys nor their loads. It has no data of single rows, whose shares
   * depend on other rows. Null if no admitted range has a load, or if the slice was joined of
   * several, since that spreads loads over rows that need not have them.
   */
  public @Nullable HeatSlice within(Admission admission) {
    if (!HeatHistory.isExact(this)) {
      return null;
    }
    List<Range> admitted = new ArrayList<>();
    Bytes end = Bytes.EMPTY;
    for (int i = 1; i + 1 < ranges.size(); i++) {
      Range range = ranges.get(i);
      Bytes to = ranges.get(i + 1).from();
      if (!range.load().equals(Load.NONE)
          && range.from().length() < KeyRanges.KEY_BYTES_MAX
          && admission.admits(range.from(), to)) {
        if (!end.equals(range.from())) {
          admitted.add(new Range(end, Load.NONE, null));
        }
        admitted.add(range);
        end = to;
      }
    }
    if (admitted.isEmpty()) {
      return null;
    }
    admitted.add(new Range(end, Load.NONE, null));
    return new HeatSlice(from, to, admitted, null, null, null, null);
  }

  /**
   * Returns a slice without the keys that have to go. The loads of their ranges are added to those
   * before them.
   */
  HeatSlice without(Predicate<Bytes> gone) {
    List<Range> kept = new ArrayList<>();
    for (Range range : ranges) {
      if (kept.isEmpty() || !gone.test(range.from())) {
        kept.add(new Range(range.from(), range.load(), without(range.sampled(), gone)));
      } else {
        Range before = kept.removeLast();
        kept.add(new Range(before.from(), before.load().plus(range.load()), null));
      }
    }
    return new HeatSlice(
        from,
        to,
        kept,
        without(written, gone),
        without(busiestRead, gone),
        without(busiestWritten, gone),
        largest == null || gone.test(largest.row()) ? null : largest);
  }

  private static @Nullable Stretch without(@Nullable Stretch of, Predicate<Bytes> gone) {
    return of == null || gone.test(of.first()) || gone.test(of.last()) ? null : of;
  }

  private static @Nullable Busiest without(@Nullable Busiest of, Predicate<Bytes> gone) {
    return of == null || gone.test(of.row()) ? null : of;
  }

  /** Returns the load of all ranges. */
  public Load total() {
    return ranges.stream().map(Range::load).reduce(Load.NONE, Load::plus);
  }
}
