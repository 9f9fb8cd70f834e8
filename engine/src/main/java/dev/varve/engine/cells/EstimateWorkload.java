package dev.varve.engine.cells;

import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.SampleGroup;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The samples of an estimate: a day of a few series that are like one point. The series differ in
 * the value of the first tag. Doubles and integers wander about the value of the point in steps of
 * its last digits, as measured values do, always in the same way.
 *
 * @param keys of the series, at least one
 * @param field of all samples
 * @param value of the point
 * @param perSecond units of time in a second
 * @param day the times, a day from midnight in UTC
 * @param step between two samples of a series
 */
record EstimateWorkload(
    List<GroupKey> keys, String field, Value value, long perSecond, TimeRange day, long step) {
  private static final int SERIES = 4;
  private static final long SECONDS_OF_DAY = 86_400;
  private static final long SECONDS_OF_HOUR = 3_600;
  private static final Duration INTERVAL_MIN = Duration.ofSeconds(1);
  private static final Duration INTERVAL_MAX = Duration.ofHours(1);
  private static final double STEP = 0.25;

  /** A query of an estimate: the first series of the workload, within some times. */
  record Asked(String what, int series, TimeRange times) {}

  static EstimateWorkload of(Batch point, Duration interval) {
    if (interval.compareTo(INTERVAL_MIN) < 0 || interval.compareTo(INTERVAL_MAX) > 0) {
      throw new IllegalArgumentException(
          "samples that are %s apart: an estimate takes 1 second to 1 hour".formatted(interval));
    }
    if (point.sampleCount() == 0) {
      throw new IllegalArgumentException("an estimate needs a point with a sample");
    }
    SampleGroup group = point.groups().getFirst();
    Column column = group.columns().getFirst();
    long second = Resolution.MILLISECONDS.perSecond();
    long midnight =
        Math.floorDiv(group.times()[0], SECONDS_OF_DAY * second) * SECONDS_OF_DAY * second;
    return new EstimateWorkload(
        variants(group.key()),
        column.field(),
        first(column),
        second,
        new TimeRange(midnight, midnight + SECONDS_OF_DAY * second),
        interval.toMillis());
  }

  private static Value first(Column column) {
    return switch (column) {
      case Column.Doubles doubles -> new Value.Real(doubles.values()[0]);
      case Column.Longs longs -> new Value.Int64(longs.values()[0]);
      case Column.Texts texts ->
          new Value.Text(
              new String(
                  texts.bytes(),
                  texts.start(0),
                  texts.end(0) - texts.start(0),
                  StandardCharsets.UTF_8));
    };
  }

  private static List<GroupKey> variants(GroupKey key) {
    List<GroupKey> keys = new ArrayList<>(List.of(key));
    for (int i = 1; i < SERIES && !key.tags().isEmpty(); i++) {
      String tag = key.tags().name(0);
      keys.add(
          new GroupKey(
              key.metric(), key.tags().with(tag, key.tags().value(0) + i), key.resource()));
    }
    return List.copyOf(keys);
  }

  /** Returns the same samples in another resolution. */
  EstimateWorkload in(Resolution resolution) {
    long from = Resolution.MILLISECONDS.convert(day.from(), resolution);
    long factor = resolution.perSecond();
    return new EstimateWorkload(
        keys,
        field,
        value,
        factor,
        new TimeRange(from, from + SECONDS_OF_DAY * factor),
        Math.max(1, step * factor / Resolution.MILLISECONDS.perSecond()));
  }

  /** Returns all samples of the day. */
  Batch samples() {
    BatchBuilder batch = new BatchBuilder();
    for (GroupKey key : keys) {
      Random random = new Random(key.hashCode());
      long moved = 0;
      for (long time = day.from(); time < day.to(); time += step) {
        moved += random.nextInt(5) - 2;
        batch.add(key, field, time, moved(moved));
      }
    }
    return batch.build();
  }

  /** Returns the samples that follow the day, one of each series. */
  Batch next() {
    BatchBuilder batch = new BatchBuilder();
    keys.forEach(key -> batch.add(key, field, day.to() - 1, value));
    return batch.build();
  }

  private Value moved(long steps) {
    return switch (value) {
      case Value.Int64 whole -> new Value.Int64(whole.value() + steps);
      case Value.Real real -> new Value.Real(real.value() + STEP * steps);
      case Value.Text text -> text;
      case Value.Raw raw -> raw;
    };
  }

  /** Returns the queries, each over the end of the day. */
  List<Asked> queries() {
    TimeRange hour = new TimeRange(day.to() - SECONDS_OF_HOUR * perSecond, day.to());
    List<Asked> queries = new ArrayList<>();
    queries.add(new Asked("1 series, 1 hour", 1, hour));
    queries.add(new Asked("1 series, 1 day", 1, day));
    if (keys.size() > 1) {
      queries.add(new Asked(keys.size() + " series, 1 hour", keys.size(), hour));
    }
    return queries;
  }

  /** Returns how many samples of a series lie within some times. */
  long samplesWithin(TimeRange times) {
    long skipped = Math.ceilDiv(Math.max(0, times.from() - day.from()), step);
    return Math.max(0, Math.ceilDiv(Math.min(times.to(), day.to()) - day.from(), step) - skipped);
  }
}
