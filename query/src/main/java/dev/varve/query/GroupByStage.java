package dev.varve.query;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.query.QueryPlan.GroupBy;
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
 * Aggregates across series, instant by instant. Holds a partial result for every instant of every
 * group, but not the samples themselves (except for percentiles).
 */
final class GroupByStage extends Stage {
  /** Bytes of a group with its initial arrays. */
  private static final long BYTES_PER_GROUP = 1024;

  private final GroupBy plan;
  private final Resolution resolution;
  private final QueryUse use;
  private final Memory memory;
  private final Map<List<String>, Group> groups = new LinkedHashMap<>();
  private @Nullable Group open;

  GroupByStage(GroupBy plan, Resolution resolution, QueryUse use, Stage next) {
    super(next);
    if (plan.aggregation() == Aggregation.Basic.RATE
        || plan.aggregation() == Aggregation.Basic.LEAST_SQUARES) {
      throw new QueryRefusedException(
          plan.aggregation() + " works within one series and cannot aggregate across several");
    }
    this.plan = plan;
    this.resolution = resolution;
    this.use = use;
    this.memory = use.memory();
  }

  @Override
  public void begin(ResultSeries series) {
    List<String> values = new ArrayList<>(plan.labels().size());
    for (String label : plan.labels()) {
      values.add(series.valueOf(label));
    }
    Group group = groups.computeIfAbsent(values, v -> new Group(series.metric()));
    group.join(series);
    open = group;
  }

  @Override
  public void samples(Samples samples, int from, int to) {
    if (samples.kind() == Kind.STRING && !plan.aggregation().takesText()) {
      throw new QueryRefusedException(
          plan.aggregation() + " cannot aggregate the text at " + samples.time(from));
    }
    Objects.requireNonNull(open).add(samples, from, to);
  }

  @Override
  public void gap(long time) {
    throw new QueryRefusedException("gaps cannot be aggregated; fill them last");
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
    Emitter out = new Emitter(next);
    for (Map.Entry<List<String>, Group> entry : groups.entrySet()) {
      if (next.satisfied()) {
        break;
      }
      Map<String, String> labels = new LinkedHashMap<>();
      for (int i = 0; i < plan.labels().size(); i++) {
        labels.put(plan.labels().get(i), entry.getKey().get(i));
      }
      entry.getValue().emit(labels, out, next);
    }
    groups.clear();
    next.finish();
  }

  /** The instants of a group with a slot for each, in a hash table with open addressing. */
  private final class Group {
    private final List<Series> sources = new ArrayList<>();
    private final Fold fold = Fold.of(plan.aggregation(), resolution, use);
    private String metric;
    private boolean text;
    private long[] times = new long[16];
    private int[] table = new int[64];
    private int size;
    private long held;

    Group(String metric) {
      this.metric = metric;
      hold(BYTES_PER_GROUP);
    }

    private void hold(long bytes) {
      memory.hold(
          bytes,
          "grouping holds a result for every instant (downsample first, or make the windows wider)");
      held += bytes;
    }

    void join(ResultSeries series) {
      sources.addAll(series.sources());
      text |= series.text();
      if (!series.metric().equals(metric)) {
        metric = "";
      }
    }

    void add(Samples samples, int from, int to) {
      int guess = 0;
      for (int i = from; i < to; i++) {
        long time = samples.time(i);
        // Series with the same downsampling have the same instants in the same order.
        int slot = guess < size && times[guess] == time ? guess : slotOf(time);
        fold.add(slot, samples, i, i + 1);
        guess = slot + 1;
      }
    }

    private int slotOf(long time) {
      int mask = table.length - 1;
      int at = hash(time) & mask;
      while (table[at] != 0) {
        int slot = table[at] - 1;
        if (times[slot] == time) {
          return slot;
        }
        at = (at + 1) & mask;
      }
      if (size == times.length) {
        grow();
        return slotOf(time);
      }
      table[at] = size + 1;
      times[size] = time;
      fold.reset(size);
      return size++;
    }

    private void grow() {
      hold((long) times.length * (fold.bytesPerSlot() + 24L));
      times = Arrays.copyOf(times, 2 * times.length);
      table = new int[4 * times.length];
      int mask = table.length - 1;
      for (int slot = 0; slot < size; slot++) {
        int at = hash(times[slot]) & mask;
        while (table[at] != 0) {
          at = (at + 1) & mask;
        }
        table[at] = slot + 1;
      }
    }

    private static int hash(long time) {
      long mixed = time * 0x9E3779B97F4A7C15L;
      return (int) (mixed >>> 32);
    }

    void emit(Map<String, String> labels, Emitter out, Stage target) {
      boolean countsText = text && plan.aggregation() == Aggregation.Basic.COUNT;
      target.begin(new ResultSeries(metric, labels, sources, text && !countsText, text, List.of()));
      for (int slot : slotsInOrder()) {
        fold.emit(slot, times[slot], out);
      }
      out.flush();
      target.end();
      memory.release(held);
    }

    private int[] slotsInOrder() {
      long[] sorted = Arrays.copyOf(times, size);
      Sorting.sort(sorted, use::giveWay);
      int[] slots = new int[size];
      for (int i = 0; i < size; i++) {
        slots[i] = slotOf(sorted[i]);
      }
      return slots;
    }
  }
}
