package dev.varve.engine.read;

import dev.varve.layout.block.SampleColumn;
import dev.varve.model.Kind;
import dev.varve.model.Run;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes runs of the samples of a settled column. For one thread. */
final class ColumnRuns {
  /** Maximum number of samples of a run. */
  private static final int RUN_MAX = 8192;

  private final SampleColumn column;
  private final int period;

  /** The samples of runs that are delivered one by one, by kind. */
  private final Map<Kind, Samples> reused;

  /** Index of the next sample to deliver. */
  private int next;

  /**
   * @param column may be filled again once its samples are delivered
   * @param period index of the period of the samples
   * @param reused receives the samples of runs that are delivered one by one, by kind
   */
  ColumnRuns(SampleColumn column, int period, Map<Kind, Samples> reused) {
    this.column = column;
    this.period = period;
    this.reused = reused;
  }

  /** Begins again, because the column has other samples. */
  void begin() {
    next = 0;
  }

  boolean hasNext() {
    return next < column.size();
  }

  /** Makes a run of the next samples of one kind, which is valid until the next call. */
  Run next(Series series) {
    int from = next;
    int to = column.stretch(from);
    next = to;
    Kind kind = column.kind(from);
    Samples samples = reused.computeIfAbsent(kind, Samples::new);
    if (kind == Kind.STRING) {
      samples.clear();
      for (int i = from; i < to; i++) {
        add(i, samples);
      }
    } else {
      samples.set(column.times(), column.values(), from, to);
    }
    return new Run(series, samples, period, null);
  }

  /**
   * Makes runs of the samples of a kind, or of all.
   *
   * @param kind null for all kinds together
   * @param first index of the first sample to take
   */
  List<Run> runs(Series series, @Nullable Kind kind, int first) {
    List<Run> runs = new ArrayList<>();
    @Nullable Samples open = null;
    for (int i = first; i < column.size(); i++) {
      Kind is = column.kind(i);
      if (kind != null && is != kind) {
        continue;
      }
      if (open == null || open.kind() != is || open.size() == RUN_MAX) {
        open = new Samples(is);
        runs.add(new Run(series, open, period, null));
      }
      add(i, open);
    }
    return runs;
  }

  /** Returns the number of samples of a kind; null for all kinds. */
  int count(@Nullable Kind kind) {
    int count = 0;
    for (int i = 0; i < column.size(); i++) {
      count += kind == null || column.kind(i) == kind ? 1 : 0;
    }
    return count;
  }

  /**
   * Returns the index of the first of the last samples of a kind; null for all kinds.
   *
   * @param samples how many there are from the index on; at most {@link #count}
   */
  int firstOfLast(@Nullable Kind kind, int samples) {
    int first = column.size();
    for (int left = samples; left > 0; ) {
      first--;
      left -= kind == null || column.kind(first) == kind ? 1 : 0;
    }
    return first;
  }

  private void add(int index, Samples into) {
    long time = column.time(index);
    switch (into.kind()) {
      case INT64 -> into.add(time, column.value(index), 0);
      case DOUBLE -> into.add(time, Double.longBitsToDouble(column.value(index)), 0);
      case STRING -> {
        byte[] text = column.textAt(index);
        into.add(time, text, 0, text.length, 0);
      }
    }
  }
}
