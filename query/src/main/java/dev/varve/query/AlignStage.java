package dev.varve.query;

import dev.varve.model.Kind;
import dev.varve.model.Samples;
import dev.varve.query.QueryPlan.Align;
import dev.varve.query.limit.Memory;
import dev.varve.query.running.QueryUse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Gives the series of a group samples at the same instants. Holds all samples, because the last
 * series of a group may have instants that the first one lacks.
 */
final class AlignStage extends Stage {
  /** Time, value and stamp, in a vector that grows by doubling. */
  private static final long BYTES_PER_SAMPLE = 32;

  private static final long BYTES_PER_SERIES = 1024;

  private final Align plan;
  private final QueryUse use;
  private final Memory memory;
  private final Map<List<String>, List<Row>> groups = new LinkedHashMap<>();
  private @Nullable Row open;
  private long held;

  /** A series with its samples; one vector for each stretch of samples of the same kind. */
  private record Row(ResultSeries series, List<Samples> vectors) {
    private int size() {
      return vectors.stream().mapToInt(Samples::size).sum();
    }
  }

  AlignStage(Align plan, QueryUse use, Stage next) {
    super(next);
    this.plan = plan;
    this.use = use;
    this.memory = use.memory();
  }

  private void hold(long bytes) {
    memory.hold(bytes, "alignment holds all samples (downsample first)");
    held += bytes;
  }

  @Override
  public void begin(ResultSeries series) {
    hold(BYTES_PER_SERIES);
    Row row = new Row(series, new ArrayList<>(1));
    List<String> values = plan.labels().stream().map(series::valueOf).toList();
    groups.computeIfAbsent(values, group -> new ArrayList<>()).add(row);
    open = row;
  }

  @Override
  public void samples(Samples samples, int from, int to) {
    if (samples.kind() == Kind.STRING) {
      throw new OperatorException("the text at " + samples.time(from) + " cannot be aligned");
    }
    hold(BYTES_PER_SAMPLE * (to - from));
    List<Samples> vectors = Objects.requireNonNull(open).vectors();
    long last = vectors.isEmpty() ? Long.MIN_VALUE : last(vectors.getLast());
    if (!vectors.isEmpty() && samples.time(from) < last) {
      throw new OperatorException("alignment needs samples in ascending order of time");
    }
    if (vectors.isEmpty() || vectors.getLast().kind() != samples.kind()) {
      vectors.add(new Samples(samples.kind()));
    }
    vectors.getLast().addAll(samples, from, to);
  }

  private static long last(Samples samples) {
    return samples.time(samples.size() - 1);
  }

  @Override
  public void gap(long time) {
    throw new OperatorException("gaps cannot be aligned; fill them last");
  }

  @Override
  public void end() {
    open = null;
  }

  @Override
  boolean satisfied() {
    return false;
  }

  @Override
  void finish() {
    for (List<Row> group : groups.values()) {
      if (next.satisfied()) {
        break;
      }
      long[] instants = instants(group);
      for (Row row : group) {
        next.begin(row.series());
        emit(row, instants);
        next.end();
      }
    }
    groups.clear();
    memory.release(held);
    held = 0;
    next.finish();
  }

  /** Returns the instants of all series of a group, each once, in ascending order. */
  private long[] instants(List<Row> group) {
    int count = group.stream().mapToInt(Row::size).sum();
    hold(Long.BYTES * (long) count);
    long[] all = new long[count];
    int size = 0;
    for (Row row : group) {
      for (Samples vector : row.vectors()) {
        System.arraycopy(vector.times(), 0, all, size, vector.size());
        size += vector.size();
      }
    }
    Sorting.sort(all, use::giveWay);
    int unique = 0;
    for (int i = 0; i < size; i++) {
      if (i == 0 || all[i] != all[i - 1]) {
        all[unique++] = all[i];
      }
    }
    return Arrays.copyOf(all, unique);
  }

  private void emit(Row row, long[] instants) {
    Emitter out = new Emitter(next);
    Sample before = null;
    int at = 0;
    for (int v = 0; v < row.vectors().size(); v++) {
      Samples vector = row.vectors().get(v);
      for (int i = 0; i < vector.size(); i++) {
        Sample here = new Sample(vector, i);
        for (; at < instants.length && instants[at] < here.time(); at++) {
          fill(instants[at], before, here, out);
        }
        out.addFrom(vector, i);
        before = here;
        // Samples of two kinds may share an instant.
        at += at < instants.length && instants[at] == here.time() ? 1 : 0;
      }
    }
    for (; at < instants.length; at++) {
      fill(instants[at], before, null, out);
    }
    out.flush();
  }

  /** A sample of a series. */
  private record Sample(Samples vector, int index) {
    private long time() {
      return vector.time(index);
    }

    private double value() {
      return vector.number(index);
    }
  }

  /**
   * Adds the value at an instant without a sample.
   *
   * @param before the last earlier sample; null if there is none
   * @param after the first later sample; null if there is none
   */
  private void fill(long time, @Nullable Sample before, @Nullable Sample after, Emitter out) {
    switch (plan.between()) {
      case LINEAR -> {
        if (before != null && after != null) {
          double share = ((double) time - before.time()) / ((double) after.time() - before.time());
          out.add(time, before.value() + share * (after.value() - before.value()));
        }
      }
      case PREVIOUS -> {
        if (before != null && before.vector().kind() == Kind.INT64) {
          out.add(time, before.vector().longAt(before.index()));
        } else if (before != null) {
          out.add(time, before.value());
        }
      }
      case ZERO -> out.add(time, 0L);
    }
  }
}
