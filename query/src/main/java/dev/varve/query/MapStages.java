package dev.varve.query;

import dev.varve.model.Kind;
import dev.varve.model.Samples;
import dev.varve.query.QueryPlan.Drop;
import dev.varve.query.QueryPlan.MovingAverage;
import dev.varve.query.QueryPlan.Refuse;
import dev.varve.query.QueryPlan.Scale;
import dev.varve.query.QueryPlan.Score;
import dev.varve.query.QueryPlan.Trim;
import org.jspecify.annotations.Nullable;

/** Simple operators on single samples and their neighbours. */
final class MapStages {
  private MapStages() {}

  static final class Scaling extends NumberStage {
    private final Scale plan;

    Scaling(Scale plan, Stage next) {
      super("scale", next);
      this.plan = plan;
    }

    @Override
    void numbers(Samples samples, int from, int to) {
      for (int i = from; i < to; i++) {
        out.add(samples.time(i), samples.number(i) * plan.factor() / plan.divisor());
      }
    }
  }

  /**
   * Sums the window again for every sample, because a running sum accumulates rounding errors. A
   * gap takes a place in the window, as in KairosDB, and fails the window once it is full.
   */
  static final class Moving extends NumberStage {
    private final double[] ring;
    private int filled;
    private int at;
    private boolean hasGap;

    Moving(MovingAverage plan, Stage next) {
      super("moving average", next);
      this.ring = new double[plan.size()];
    }

    @Override
    void beginNumbers() {
      filled = 0;
      at = 0;
      hasGap = false;
    }

    @Override
    void numbers(Samples samples, int from, int to) {
      for (int i = from; i < to; i++) {
        take(samples.number(i));
        if (filled == ring.length) {
          out.add(samples.time(i), mean());
        }
      }
    }

    @Override
    public void gap(long time) {
      hasGap = true;
      take(Double.NaN);
    }

    private void take(double value) {
      ring[at] = value;
      at = (at + 1) % ring.length;
      filled = Math.min(filled + 1, ring.length);
      if (filled == ring.length && hasGap) {
        throw noGaps();
      }
    }

    private double mean() {
      double sum = 0;
      for (int i = 0; i < ring.length; i++) {
        sum += ring[(at + i) % ring.length];
      }
      return sum / ring.length;
    }
  }

  static final class Scoring extends NumberStage {
    private final Score plan;

    Scoring(Score plan, Stage next) {
      super("score", next);
      this.plan = plan;
    }

    @Override
    void numbers(Samples samples, int from, int to) {
      int all = plan.thresholds().size();
      for (int i = from; i < to; i++) {
        long reached = reached(samples.number(i));
        out.add(samples.time(i), plan.descending() ? all - reached : reached);
      }
    }

    private int reached(double value) {
      int count = 0;
      while (count < plan.thresholds().size()) {
        double threshold = plan.thresholds().get(count);
        if (value < threshold || (value == threshold && !plan.inclusive().get(count))) {
          break;
        }
        count++;
      }
      return count;
    }
  }

  static final class Trimming extends Stage {
    private final Trim plan;
    private final Emitter out;
    private final Samples[] held = {
      new Samples(Kind.DOUBLE), new Samples(Kind.INT64), new Samples(Kind.STRING),
    };
    private int holding = -1;
    private @Nullable Long heldGap;
    private boolean started;

    Trimming(Trim plan, Stage next) {
      super(next);
      this.plan = plan;
      this.out = new Emitter(next);
    }

    @Override
    public void begin(ResultSeries series) {
      next.begin(series);
      started = false;
      holding = -1;
      heldGap = null;
    }

    @Override
    public void samples(Samples samples, int from, int to) {
      int first = from;
      if (!started) {
        started = true;
        first += plan.first() ? 1 : 0;
      }
      if (first == to) {
        return;
      }
      release();
      if (!plan.last()) {
        out.pass(samples, first, to);
        return;
      }
      out.pass(samples, first, to - 1);
      hold(samples, to - 1);
    }

    /** Holds back one sample, which may be the last. */
    private void hold(Samples samples, int index) {
      for (int i = 0; i < held.length; i++) {
        if (held[i].kind() == samples.kind()) {
          held[i].clear();
          held[i].addFrom(samples, index);
          holding = i;
        }
      }
    }

    private void release() {
      if (holding >= 0) {
        out.addFrom(held[holding], 0);
      }
      Long gap = heldGap;
      if (gap != null) {
        out.gap(gap);
      }
      holding = -1;
      heldGap = null;
    }

    @Override
    public void gap(long time) {
      boolean trimmed = !started && plan.first();
      started = true;
      if (trimmed) {
        return;
      }
      release();
      if (plan.last()) {
        heldGap = time;
      } else {
        out.gap(time);
      }
    }

    @Override
    public void end() {
      out.flush();
      next.end();
    }
  }

  static final class Dropping extends Stage {
    private final Drop plan;
    private final Emitter out;

    Dropping(Drop plan, Stage next) {
      super(next);
      this.plan = plan;
      this.out = new Emitter(next);
    }

    @Override
    public void samples(Samples samples, int from, int to) {
      Double number = plan.number();
      String text = plan.text();
      for (int i = from; i < to; i++) {
        boolean drop = true;
        if (number != null && samples.kind() != Kind.STRING) {
          drop = plan.comparison().holds(Double.compare(samples.number(i), number));
        } else if (text != null && samples.kind() == Kind.STRING) {
          drop = plan.comparison().holds(samples.textAt(i).compareTo(text));
        }
        if (!drop) {
          out.addFrom(samples, i);
        }
      }
    }

    @Override
    public void gap(long time) {
      if (plan.number() != null) {
        throw new OperatorException("filter cannot compare a gap with a number; fill gaps last");
      }
    }

    @Override
    public void end() {
      out.flush();
      next.end();
    }
  }

  /** Passes series on as long as they are empty. */
  static final class Refusing extends Stage {
    private final Refuse plan;

    Refusing(Refuse plan, Stage next) {
      super(next);
      this.plan = plan;
    }

    @Override
    public void samples(Samples samples, int from, int to) {
      throw new OperatorException(plan.reason());
    }

    @Override
    public void gap(long time) {
      throw new OperatorException(plan.reason());
    }
  }
}
