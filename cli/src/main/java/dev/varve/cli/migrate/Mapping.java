package dev.varve.cli.migrate;

import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Converts samples of a source for its target: converts times and, if requested, makes fields
 * metrics of their own. For one thread.
 */
final class Mapping {
  private static final int REASONS_MAX = 1000;

  private final Resolution from;
  private final Resolution to;
  private final boolean joinsFields;
  private final boolean rounds;
  private List<String> unfit = new ArrayList<>();
  private long unfitCount;

  /**
   * @param joinsFields whether the samples of a field become those of a metric {@code metric_field}
   * @param rounds whether times that the target cannot have are rounded towards the past
   */
  Mapping(Resolution from, Resolution to, boolean joinsFields, boolean rounds) {
    this.from = from;
    this.to = to;
    this.joinsFields = joinsFields;
    this.rounds = rounds;
  }

  /** Adds a sample to a batch, or refuses its time. */
  void add(Series series, Samples samples, int index, BatchBuilder into) {
    long time = samples.time(index);
    if (from != to) {
      try {
        long converted = from.convert(time, to);
        if (!rounds && to.convert(converted, from) != time) {
          throw new ArithmeticException();
        }
        time = converted;
      } catch (ArithmeticException e) {
        refuse(series, time);
        return;
      }
    }
    boolean joins = joinsFields && !series.field().equals(Series.DEFAULT_FIELD);
    GroupKey key =
        joins
            ? new GroupKey(
                series.metric() + "_" + series.field(),
                series.key().tags(),
                series.key().resource())
            : series.key();
    String field = joins ? Series.DEFAULT_FIELD : series.field();
    BatchBuilder.GroupBuilder group = into.group(key);
    switch (samples.kind()) {
      case DOUBLE -> group.add(field, time, samples.doubleAt(index));
      case INT64 -> group.add(field, time, samples.longAt(index));
      case STRING ->
          group.add(
              field,
              time,
              Arrays.copyOfRange(samples.text(), samples.textStart(index), samples.textEnd(index)));
    }
  }

  private void refuse(Series series, long time) {
    unfitCount++;
    if (unfit.size() < REASONS_MAX) {
      unfit.add(
          "%s at %d: the target counts time in %s and cannot hold that time, in %s; --round-times rounds it"
              .formatted(series, time, to.symbol(), from.symbol()));
    }
  }

  /** Returns the number of refused samples since {@link #takeUnfit}. */
  long unfitCount() {
    return unfitCount;
  }

  /** Returns the reasons of the first refused samples, and resets them and the count. */
  List<String> takeUnfit() {
    List<String> taken = unfit;
    unfit = new ArrayList<>();
    unfitCount = 0;
    return taken;
  }
}
