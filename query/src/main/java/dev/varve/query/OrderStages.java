package dev.varve.query;

import dev.varve.model.Samples;
import dev.varve.query.QueryPlan.Limit;
import dev.varve.query.QueryPlan.Order;
import dev.varve.query.limit.Memory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Operators that order and limit results. */
final class OrderStages {
  private OrderStages() {}

  /** Reverses the samples of each series. Holds one series. */
  static final class Backwards extends Stage {
    private final SeriesBuffer held;
    private final Emitter out;

    Backwards(Memory memory, Stage next) {
      super(next);
      this.held =
          new SeriesBuffer(memory, "reversing a series holds all of it (request the newest N)");
      this.out = new Emitter(next);
    }

    @Override
    public void samples(Samples samples, int from, int to) {
      held.add(samples, from, to);
    }

    @Override
    public void gap(long time) {
      held.addGap(time);
    }

    @Override
    public void end() {
      held.replayBackwards(out);
      held.clear();
      next.end();
    }
  }

  /** Sorts series. Holds all of them. */
  static final class SeriesOrder extends Stage {
    private record One(ResultSeries series, SeriesBuffer held) {}

    private final Order plan;
    private final Memory memory;
    private final Emitter out;
    private final List<One> all = new ArrayList<>();

    SeriesOrder(Order plan, Memory memory, Stage next) {
      super(next);
      this.plan = plan;
      this.memory = memory;
      this.out = new Emitter(next);
    }

    @Override
    public void begin(ResultSeries series) {
      all.add(new One(series, new SeriesBuffer(memory, "sorting series holds all of them")));
    }

    @Override
    public void samples(Samples samples, int from, int to) {
      all.getLast().held().add(samples, from, to);
    }

    @Override
    public void gap(long time) {
      all.getLast().held().addGap(time);
    }

    @Override
    public void end() {}

    @Override
    boolean satisfied() {
      return false;
    }

    @Override
    void finish() {
      all.sort(comparator());
      for (One one : all) {
        if (next.satisfied()) {
          break;
        }
        next.begin(one.series());
        one.held().replay(out);
        one.held().clear();
        next.end();
      }
      all.clear();
      next.finish();
    }

    private Comparator<One> comparator() {
      if (plan.by() == Order.By.LAST) {
        Comparator<Double> order = plan.descending() ? Comparator.reverseOrder() : Double::compare;
        return Comparator.comparing(
            one -> one.held().lastNumber(),
            Comparator.<Double, Boolean>comparing(value -> value.isNaN()).thenComparing(order));
      }
      Comparator<One> order =
          Comparator.<One, String>comparing(one -> one.series().metric())
              .thenComparing(one -> sorted(one.series().labels()));
      return plan.descending() ? order.reversed() : order;
    }

    private static String sorted(Map<String, String> labels) {
      StringBuilder text = new StringBuilder();
      new TreeMap<>(labels)
          .forEach((name, value) -> text.append(name).append('\0').append(value).append('\0'));
      return text.toString();
    }
  }

  /** Passes on the first series, and the first samples of each. */
  static final class Cut extends Stage {
    private final Limit plan;
    private long series;
    private long samples;

    Cut(Limit plan, Stage next) {
      super(next);
      this.plan = plan;
    }

    @Override
    public void begin(ResultSeries one) {
      series++;
      samples = 0;
      if (wanted()) {
        next.begin(one);
      }
    }

    @Override
    public void samples(Samples vector, int from, int to) {
      if (wanted()) {
        long rest = plan.samples() == 0 ? to - from : Math.min(to - from, plan.samples() - samples);
        if (rest > 0) {
          samples += rest;
          next.samples(vector, from, from + (int) rest);
        }
      }
    }

    @Override
    public void gap(long time) {
      if (wanted() && (plan.samples() == 0 || samples++ < plan.samples())) {
        next.gap(time);
      }
    }

    @Override
    public void end() {
      if (wanted()) {
        next.end();
      }
    }

    private boolean wanted() {
      return plan.series() == 0 || series <= plan.series();
    }

    @Override
    boolean satisfied() {
      return (plan.series() > 0 && series >= plan.series()) || next.satisfied();
    }
  }
}
