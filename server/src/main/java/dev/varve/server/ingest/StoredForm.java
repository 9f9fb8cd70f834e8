package dev.varve.server.ingest;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.WriteResult.Rejection;
import dev.varve.layout.Refusal;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.SampleGroup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns samples as they were sent into samples as a dataset stores them: their keys pass the door,
 * tags that the dataset lists become resource identifiers, times get its resolution, and integers
 * become doubles if its layouts hold no integers. Samples that cannot be stored are left out and
 * counted.
 */
public final class StoredForm {
  /** The rule that refuses a time that the dataset's resolution cannot represent. */
  public static final String TOO_FINE = "time.resolution";

  private final Resolution resolution;
  private final Coercion coercion;
  private final ResourceTags resources;
  private final IngestListener listener;
  private final IntakeTally tally;

  StoredForm(Dataset dataset, IngestListener listener, IntakeTally tally) {
    this.resolution = dataset.resolution();
    this.coercion = Coercion.of(dataset.config());
    this.resources = new ResourceTags(dataset.config().resources());
    this.listener = listener;
    this.tally = tally;
  }

  /** Returns whether integers become doubles at any time, unless their sender insists. */
  boolean coerces() {
    return coercion.any();
  }

  /** Returns whether times or values are converted, which takes a second copy of the columns. */
  boolean copies() {
    return coercion.any() || resolution != Resolution.MILLISECONDS;
  }

  /** Returns the key under which samples are stored; null if they are dropped or refused. */
  @Nullable GroupKey stored(GroupKey sent) {
    GroupKey entered = listener.door().enter(sent).key();
    return entered == null ? null : resources.apply(entered);
  }

  /**
   * Returns the key that the door gives a series; null if the series is dropped or refused, which
   * is counted.
   *
   * @param samples number of samples of the key
   */
  @Nullable GroupKey enter(GroupKey key, int samples) {
    Door.Entry entry = listener.door().enter(key);
    if (entry.key() != null) {
      return entry.key();
    }
    Refusal refusal = entry.refusal();
    if (refusal == null) {
      tally.countDropped(samples);
    } else {
      tally.countRefused(new Rejection(key, null, null, refusal), samples, true);
    }
    return null;
  }

  /** Returns the samples that pass the door, under their new keys. */
  Batch throughDoor(Batch batch) {
    List<SampleGroup> groups = new ArrayList<>(batch.groups().size());
    for (SampleGroup group : batch.groups()) {
      GroupKey key = enter(group.key(), group.sampleCount());
      if (key != null) {
        groups.add(under(key, group));
      }
    }
    return new Batch(groups, batch.attributes());
  }

  private static SampleGroup under(GroupKey key, SampleGroup group) {
    return key.equals(group.key())
        ? group
        : new SampleGroup(key, group.size(), group.times(), group.columns());
  }

  /** Returns the samples with their times, in milliseconds, in the resolution of the dataset. */
  Batch inResolution(Batch batch) {
    if (resolution == Resolution.MILLISECONDS) {
      return batch;
    }
    return new Batch(batch.groups().stream().map(this::inResolution).toList(), batch.attributes());
  }

  private SampleGroup inResolution(SampleGroup group) {
    long[] times = Arrays.copyOf(group.times(), group.size());
    boolean[] drop = new boolean[group.size()];
    boolean any = false;
    for (int i = 0; i < group.size(); i++) {
      try {
        long time = Resolution.MILLISECONDS.convert(times[i], resolution);
        if (resolution.convert(time, Resolution.MILLISECONDS) != times[i]) {
          throw new ArithmeticException();
        }
        times[i] = time;
      } catch (ArithmeticException e) {
        String message =
            "the dataset counts time in %s and cannot hold the millisecond %d"
                .formatted(resolution.symbol(), times[i]);
        Refusal refusal = new Refusal(TOO_FINE, message);
        tally.countRefused(new Rejection(group.key(), null, null, refusal), 1, true);
        drop[i] = true;
        any = true;
      }
    }
    SampleGroup converted = new SampleGroup(group.key(), group.size(), times, group.columns());
    return any ? without(converted, drop) : converted;
  }

  /** Returns the group without some samples. */
  private static SampleGroup without(SampleGroup group, boolean[] drop) {
    BatchBuilder builder = new BatchBuilder();
    BatchBuilder.GroupBuilder kept = builder.group(group.key());
    for (Column column : group.columns()) {
      for (int i = 0; i < group.size(); i++) {
        if (!drop[i] && column.has(i)) {
          copy(kept, column, i, group.times()[i]);
        }
      }
    }
    return only(builder, group.key());
  }

  /**
   * Returns the samples under the keys and in the kinds that the dataset stores.
   *
   * @param insists whether integers must stay integers
   */
  Batch inHeldKinds(Batch batch, boolean insists) {
    List<SampleGroup> groups = new ArrayList<>(batch.groups().size());
    for (SampleGroup group : batch.groups()) {
      SampleGroup own = resources.isEmpty() ? group : under(resources.apply(group.key()), group);
      groups.add(coercion.any() && !insists ? withDoubles(own) : own);
    }
    groups.removeIf(group -> group.size() == 0);
    return new Batch(groups, batch.attributes());
  }

  private SampleGroup withDoubles(SampleGroup group) {
    if (group.columns().stream().noneMatch(Column.Longs.class::isInstance)) {
      return group;
    }
    BatchBuilder builder = new BatchBuilder();
    BatchBuilder.GroupBuilder kept = builder.group(group.key());
    for (int i = 0; i < group.size(); i++) {
      long time = group.times()[i];
      for (Column column : group.columns()) {
        if (column.has(i)) {
          if (column instanceof Column.Longs integers && coercion.applies(time)) {
            addDouble(kept, integers, i, time, group.key());
          } else {
            copy(kept, column, i, time);
          }
        }
      }
    }
    return only(builder, group.key());
  }

  private void addDouble(
      BatchBuilder.GroupBuilder kept, Column.Longs integers, int index, long time, GroupKey key) {
    long value = integers.values()[index];
    if (Coercion.isExact(value)) {
      tally.countCoerced();
      kept.add(integers.field(), time, (double) value);
    } else {
      tally.countRefused(
          new Rejection(key, integers.field(), time, Coercion.inexact(value)), 1, false);
    }
  }

  private static void copy(BatchBuilder.GroupBuilder into, Column column, int index, long time) {
    switch (column) {
      case Column.Doubles c -> into.add(c.field(), time, c.values()[index]);
      case Column.Longs c -> into.add(c.field(), time, c.values()[index]);
      case Column.Texts c ->
          into.add(c.field(), time, Arrays.copyOfRange(c.bytes(), c.start(index), c.end(index)));
    }
  }

  /** Returns the one group of a batch; a group without samples if the batch is empty. */
  private static SampleGroup only(BatchBuilder batch, GroupKey key) {
    List<SampleGroup> groups = batch.build().groups();
    return groups.isEmpty() ? new SampleGroup(key, 0, new long[0], List.of()) : groups.getFirst();
  }
}
