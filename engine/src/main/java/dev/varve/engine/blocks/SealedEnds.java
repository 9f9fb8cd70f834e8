package dev.varve.engine.blocks;

import dev.varve.layout.block.SampleColumn;
import dev.varve.model.Kind;
import java.util.Arrays;

/** The latest sample of each series of a sealed head; texts without their content. */
final class SealedEnds {
  private int[] series = new int[256];
  private final SampleColumn ends = new SampleColumn();

  /** Adds the latest sample of a series, which is the last of a column in the order of time. */
  void add(int number, SampleColumn column) {
    int last = column.size() - 1;
    if (last < 0) {
      return;
    }
    if (ends.size() == series.length) {
      series = Arrays.copyOf(series, 2 * series.length);
    }
    series[ends.size()] = number;
    Kind kind = column.kind(last);
    ends.add(column.time(last), kind, kind == Kind.STRING ? 0 : column.value(last));
  }

  /** Returns the number of the series of sample {@code index}. */
  int series(int index) {
    return series[index];
  }

  SampleColumn ends() {
    return ends;
  }
}
