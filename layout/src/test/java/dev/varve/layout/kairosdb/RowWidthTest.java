package dev.varve.layout.kairosdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** Row times and columns, including times before 1970, where the original does not round down. */
class RowWidthTest {
  @Test
  void isTheArithmeticOfTheOriginal() {
    for (String[] fact : Facts.of("original-classes.tsv", "column")) {
      ColumnUnit unit = ColumnUnit.valueOf(fact[0]);
      RowWidth width = new RowWidth(unit.defaultWidth());
      long time = Long.parseLong(fact[1]);
      long rowTime = Long.parseLong(fact[2]);
      long column = Long.parseLong(fact[3], 16);
      long back = Long.parseLong(fact[4]);
      assertThat(width.rowTime(time)).isEqualTo(rowTime);
      assertThat(width.isRowTime(rowTime)).isTrue();
      assertThat(unit.column(time - rowTime)).isEqualTo(column);
      assertThat(rowTime + unit.offset(column)).isEqualTo(back);
      assertThat(unit.holds(time - rowTime)).isEqualTo(back == time);
      assertThat(width.holds(rowTime, time - rowTime)).isTrue();
    }
  }

  /** Compares all functions with brute force, for small widths. */
  @Property(tries = 60)
  void agreesWithTryingEveryTime(@ForAll @IntRange(min = 1, max = 40) int millis) {
    RowWidth width = new RowWidth(millis);
    long far = 5L * millis;
    TreeSet<Long> rowTimes = new TreeSet<>();
    for (long time = -far; time <= far; time++) {
      rowTimes.add(width.rowTime(time));
    }
    for (long rowTime = -far + millis; rowTime <= far; rowTime++) {
      assertThat(width.isRowTime(rowTime)).as("%d", rowTime).isEqualTo(rowTimes.contains(rowTime));
    }
    for (long from = -far; from <= 0; from++) {
      long lowest = Long.MAX_VALUE;
      for (long time = from; time <= far; time++) {
        lowest = Math.min(lowest, width.rowTime(time));
      }
      assertThat(width.lowestFrom(from)).isLessThanOrEqualTo(lowest);
    }
    for (long from = 0; from <= far; from++) {
      assertThat(width.lowestFrom(from)).isEqualTo(width.rowTime(from));
    }
  }

  @Property(tries = 60)
  void holdsTwoSamplesARowAtMostBefore1970(@ForAll @IntRange(min = 1, max = 40) int millis) {
    RowWidth width = new RowWidth(millis);
    for (long rowTime : new TreeSet<>(List.of(-1L, -2L, -7L, -39L, -40L, -41L, -80L, -117L))) {
      List<Long> held = new ArrayList<>();
      for (long offset = 0; offset < 2L * millis; offset++) {
        boolean holds = width.holds(rowTime, offset);
        assertThat(holds).isEqualTo(offset < millis && width.rowTime(rowTime + offset) == rowTime);
        if (holds) {
          held.add(rowTime + offset);
        }
      }
      assertThat(held).hasSizeLessThanOrEqualTo(2);
      assertThat(held.isEmpty()).isEqualTo(!width.isRowTime(rowTime));
    }
  }

  @Property
  void findsWhetherAnyOffsetOfAStretchIsHeld(
      @ForAll @IntRange(min = 1, max = 60) int millis,
      @ForAll @IntRange(min = -400, max = 400) int rowTime,
      @ForAll @IntRange(max = 70) int from,
      @ForAll @IntRange(max = 30) int more) {
    RowWidth width = new RowWidth(millis);
    boolean any = false;
    for (long offset = from; offset <= from + more; offset++) {
      any |= width.holds(rowTime, offset);
    }
    assertThat(width.holdsAny(rowTime, from, from + more)).isEqualTo(any);
  }

  @Property
  void keepsEveryTimeThatItSaysItHolds(
      @ForAll long time, @ForAll @LongRange(min = 1, max = RowWidth.MAX) long millis) {
    RowWidth width = new RowWidth(millis);
    if (!width.times().contains(time)) {
      return;
    }
    long rowTime = width.rowTime(time);
    long offset = time - rowTime;
    assertThat(offset).isBetween(0L, millis - 1);
    assertThat(width.isRowTime(rowTime)).isTrue();
    assertThat(width.holds(rowTime, offset)).isTrue();
    assertThat(width.lowestFrom(time)).isLessThanOrEqualTo(rowTime);
    for (ColumnUnit unit : ColumnUnit.values()) {
      long column = unit.column(offset);
      assertThat(column).isBetween(0L, 0xffff_ffffL);
      if (unit.holds(offset)) {
        assertThat(unit.offset(column)).isEqualTo(offset);
      }
    }
  }

  @Test
  void saturatesWhereTheArithmeticWouldOverflow() {
    RowWidth width = new RowWidth(1_814_400_000L);
    assertThat(width.rowTime(Long.MIN_VALUE)).isEqualTo(Long.MIN_VALUE);
    assertThat(width.lowestFrom(Long.MIN_VALUE)).isEqualTo(Long.MIN_VALUE);
    assertThat(width.lowestFrom(width.times().from())).isEqualTo(Long.MIN_VALUE + 1);
    assertThat(width.end(width.rowTime(Long.MAX_VALUE - 1))).isEqualTo(Long.MAX_VALUE);
    assertThat(width.end(-1_814_400_000L)).isZero();
    assertThat(width.holds(width.rowTime(Long.MAX_VALUE - 1), 1_814_399_999L)).isFalse();
    assertThat(width.holds(Long.MIN_VALUE, 0)).isFalse();
  }

  @Property
  void findsTheFirstColumnOfATime(
      @ForAll ColumnUnit unit,
      @ForAll @LongRange(max = RowWidth.MAX - 1) long from,
      @ForAll @LongRange(max = RowWidth.MAX - 1) long offset) {
    Bytes first = unit.columnFrom(from);
    if (unit.holds(offset)) {
      long column = unit.column(offset);
      Bytes name =
          Bytes.of(
              (byte) (column >>> 24), (byte) (column >>> 16), (byte) (column >>> 8), (byte) column);
      assertThat(name.compareTo(first) >= 0).isEqualTo(offset >= from);
    }
  }
}
