package dev.varve.engine.write;

import dev.varve.engine.periods.Period;
import dev.varve.layout.Refusal;
import dev.varve.model.Column;
import dev.varve.model.SampleGroup;

/** Samples of one series in one period; counts those that the layout refuses. */
final class Part implements LayoutEdits.Refusals {
  private final KnownSeries series;
  private final Period period;
  private final SampleGroup group;
  private final int count;
  private final RefusedSamples tally;
  private int refused;
  private int[] refusedOfColumn = {};

  Part(KnownSeries series, Period period, SampleGroup group, RefusedSamples tally) {
    this.series = series;
    this.period = period;
    this.group = group;
    this.count = group.sampleCount();
    this.tally = tally;
  }

  KnownSeries series() {
    return series;
  }

  Period period() {
    return period;
  }

  SampleGroup group() {
    return group;
  }

  @Override
  public void refuse(int column, int index, Refusal refusal) {
    if (column < 0) {
      for (int c = 0; c < group.columns().size(); c++) {
        note(c, index);
      }
      tally.refuseAll(group, index, refusal);
    } else {
      note(column, index);
      String field = group.columns().get(column).field();
      tally.refuse(1, group.key(), field, group.times()[index], refusal);
    }
  }

  private void note(int column, int index) {
    if (group.columns().get(column).has(index)) {
      if (refusedOfColumn.length == 0) {
        refusedOfColumn = new int[group.columns().size()];
      }
      refusedOfColumn[column]++;
      refused++;
    }
  }

  /** Returns how many samples the layout accepted. */
  int accepted() {
    return count - refused;
  }

  /** Returns whether the layout accepted a sample of a column. */
  boolean isAccepted(int column) {
    return refusedOfColumn.length == 0 || refusedOfColumn[column] < values(column);
  }

  private int values(int column) {
    Column of = group.columns().get(column);
    int values = 0;
    for (int i = 0; i < group.size(); i++) {
      values += of.has(i) ? 1 : 0;
    }
    return values;
  }

  /** Returns the time of the earliest sample. */
  long first() {
    long first = Long.MAX_VALUE;
    for (int i = 0; i < group.size(); i++) {
      first = Math.min(first, group.times()[i]);
    }
    return first;
  }

  /** Returns the time of the latest sample. */
  long last() {
    long last = Long.MIN_VALUE;
    for (int i = 0; i < group.size(); i++) {
      last = Math.max(last, group.times()[i]);
    }
    return last;
  }
}
