package dev.varve.query.promql.eval;

import dev.varve.formats.number.GoNumber;
import dev.varve.query.promql.AggregateOperator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One group of an aggregation: receives the rows of its series and emits one or more rows. */
interface AggregatedGroup {
  void row(Labels labels, Column column);

  /**
   * Emits the result of the group.
   *
   * @param group the labels of the group
   */
  void end(Labels group, RowSink next);

  /**
   * Creates the aggregation of one group.
   *
   * @param parameter the numeric parameter of the operator at every step; empty if it has none
   * @param label the text parameter of the operator; empty if it has none
   */
  static AggregatedGroup of(
      AggregateOperator operator, int steps, double[] parameter, String label, RowMemory held) {
    return switch (operator) {
      case SUM -> new Sum(steps);
      case AVG -> new Average(steps);
      case MAX -> new Extreme(steps, true);
      case MIN -> new Extreme(steps, false);
      case COUNT -> new Count(steps);
      case GROUP -> new Group(steps);
      case STDDEV -> new Deviation(steps, true);
      case STDVAR -> new Deviation(steps, false);
      case QUANTILE -> new Quantile(steps, parameter, held);
      case TOPK -> new Best(steps, parameter, true, held);
      case BOTTOMK -> new Best(steps, parameter, false, held);
      case COUNT_VALUES -> new Values(steps, label, held);
      case LIMITK, LIMIT_RATIO ->
          throw new IllegalArgumentException(operator.text() + " is not supported");
    };
  }

  /** Returns the approximate number of bytes that a group holds per step, without its row. */
  static long bytesPerStep(AggregateOperator operator) {
    return switch (operator) {
      case SUM -> 8;
      // An object with a sum, its compensation, a mean and a count, and the reference to it.
      case AVG -> 56;
      case STDDEV, STDVAR -> 16;
      case BOTTOMK, COUNT, COUNT_VALUES, GROUP, LIMITK, LIMIT_RATIO, MAX, MIN, QUANTILE, TOPK -> 0;
    };
  }

  /** Operators with a single result row, which is updated with each input row. */
  abstract class Folded implements AggregatedGroup {
    final Column result;

    Folded(int steps) {
      this.result = new Column(steps);
    }

    @Override
    public void row(Labels labels, Column column) {
      for (int step = column.next(0); step < column.steps(); step = column.next(step + 1)) {
        add(step, column.get(step));
      }
    }

    abstract void add(int step, double value);

    /** Computes the result, for operators that need all rows first. */
    void close() {}

    @Override
    public void end(Labels group, RowSink next) {
      close();
      next.row(group, result);
    }
  }

  /** With compensation as in {@link Kahan}. */
  final class Sum extends Folded {
    private final double[] lost;

    Sum(int steps) {
      super(steps);
      this.lost = new double[steps];
    }

    @Override
    void add(int step, double value) {
      double sum = result.has(step) ? result.get(step) : 0;
      double total = sum + value;
      if (Double.isInfinite(total)) {
        lost[step] = 0;
      } else {
        lost[step] += Math.abs(sum) >= Math.abs(value) ? sum - total + value : value - total + sum;
      }
      result.set(step, total);
    }

    @Override
    void close() {
      for (int step = result.next(0); step < lost.length; step = result.next(step + 1)) {
        result.set(step, result.get(step) + lost[step]);
      }
    }
  }

  final class Average extends Folded {
    private final Mean[] means;

    Average(int steps) {
      super(steps);
      this.means = new Mean[steps];
    }

    @Override
    void add(int step, double value) {
      if (!result.has(step)) {
        means[step] = new Mean();
        result.set(step, 0);
      }
      means[step].add(value);
    }

    @Override
    void close() {
      for (int step = result.next(0); step < means.length; step = result.next(step + 1)) {
        result.set(step, means[step].value());
      }
    }
  }

  final class Extreme extends Folded {
    private final boolean max;

    Extreme(int steps, boolean max) {
      super(steps);
      this.max = max;
    }

    @Override
    void add(int step, double value) {
      double known = result.get(step);
      if (!result.has(step) || Double.isNaN(known) || (max ? value > known : value < known)) {
        result.set(step, value);
      }
    }
  }

  final class Count extends Folded {
    Count(int steps) {
      super(steps);
    }

    @Override
    void add(int step, double value) {
      result.set(step, result.has(step) ? result.get(step) + 1 : 1);
    }
  }

  final class Group extends Folded {
    Group(int steps) {
      super(steps);
    }

    @Override
    void add(int step, double value) {
      result.set(step, 1);
    }
  }

  /** Deviation of a population, not of a sample (Welford 1962). */
  final class Deviation extends Folded {
    private final boolean root;
    private final double[] counts;
    private final double[] means;

    Deviation(int steps, boolean root) {
      super(steps);
      this.root = root;
      this.counts = new double[steps];
      this.means = new double[steps];
    }

    @Override
    void add(int step, double value) {
      counts[step]++;
      if (!result.has(step)) {
        means[step] = value;
        result.set(step, Double.isFinite(value) ? 0 : Double.NaN);
        return;
      }
      double delta = value - means[step];
      means[step] += delta / counts[step];
      result.set(step, result.get(step) + delta * (value - means[step]));
    }

    @Override
    void close() {
      for (int step = result.next(0); step < counts.length; step = result.next(step + 1)) {
        double variance = result.get(step) / counts[step];
        result.set(step, root ? Math.sqrt(variance) : variance);
      }
    }
  }

  /** Operators that need all rows of the group at once. */
  abstract class Gathered implements AggregatedGroup {
    final int steps;
    final List<Labels> labels = new ArrayList<>();
    final List<Column> columns = new ArrayList<>();
    final RowMemory held;

    Gathered(int steps, RowMemory held) {
      this.steps = steps;
      this.held = held;
    }

    @Override
    public void row(Labels row, Column column) {
      held.row(steps);
      labels.add(row);
      columns.add(column);
    }

    @Override
    public void end(Labels group, RowSink next) {
      close(group, next);
      columns.forEach(column -> held.release(steps));
    }

    abstract void close(Labels group, RowSink next);
  }

  final class Quantile extends Gathered {
    private final double[] quantiles;

    Quantile(int steps, double[] quantiles, RowMemory held) {
      super(steps, held);
      this.quantiles = quantiles;
    }

    @Override
    void close(Labels group, RowSink next) {
      Column result = new Column(steps);
      double[] values = new double[columns.size()];
      for (int step = 0; step < steps; step++) {
        held.wanted();
        int size = 0;
        for (Column column : columns) {
          if (column.has(step)) {
            values[size++] = column.get(step);
          }
        }
        if (size > 0) {
          result.set(step, Quantiles.of(quantiles[step], values, size, held));
        }
      }
      next.row(group, result);
    }
  }

  /** Selects the series with the highest or lowest values at each step; NaN ranks last. */
  final class Best extends Gathered {
    private final double[] counts;
    private final boolean top;

    Best(int steps, double[] counts, boolean top, RowMemory held) {
      super(steps, held);
      this.counts = counts;
      this.top = top;
    }

    @Override
    void close(Labels group, RowSink next) {
      List<Column> chosen = new ArrayList<>();
      columns.forEach(column -> {
        held.row(steps);
        chosen.add(new Column(steps));
      });
      Integer[] rows = new Integer[columns.size()];
      for (int step = 0; step < steps; step++) {
        int size = 0;
        for (int row = 0; row < rows.length; row++) {
          if (columns.get(row).has(step)) {
            rows[size++] = row;
          }
        }
        int at = step;
        if (size > 0 && !(Math.abs(counts[step]) < 0x1p63)) {
          throw new PromQlEvaluationException(
              "Scalar value %s overflows int64".formatted(GoNumber.text(counts[step])));
        }
        held.wanted();
        Arrays.sort(
            rows,
            0,
            size,
            held.asking((a, b) -> order(columns.get(a).get(at), columns.get(b).get(at))));
        int wanted = Math.clamp((long) counts[step], 0, size);
        for (int i = 0; i < wanted; i++) {
          chosen.get(rows[i]).set(step, columns.get(rows[i]).get(step));
        }
      }
      emit(chosen, next);
      chosen.forEach(column -> held.release(steps));
    }

    /**
     * Emits the rows. For a single step they are ordered by value; over a range the order has no
     * meaning.
     */
    private void emit(List<Column> chosen, RowSink next) {
      List<Integer> order = new ArrayList<>();
      for (int row = 0; row < chosen.size(); row++) {
        if (!chosen.get(row).isEmpty()) {
          order.add(row);
        }
      }
      if (steps == 1) {
        order.sort(held.asking((a, b) -> order(chosen.get(a).get(0), chosen.get(b).get(0))));
      }
      order.forEach(row -> next.row(labels.get(row), chosen.get(row)));
    }

    private int order(double a, double b) {
      if (Double.isNaN(a) || Double.isNaN(b)) {
        return Boolean.compare(Double.isNaN(a), Double.isNaN(b));
      }
      return a == b ? 0 : (a > b) == top ? -1 : 1;
    }
  }

  /** Counts the occurrences of each value; each value is a row, with the value in a label. */
  final class Values implements AggregatedGroup {
    private final int steps;
    private final String label;
    private final RowMemory held;
    private final Map<String, Column> counts = new LinkedHashMap<>();

    Values(int steps, String label, RowMemory held) {
      this.steps = steps;
      this.label = label;
      this.held = held;
    }

    @Override
    public void row(Labels labels, Column column) {
      for (int step = column.next(0); step < steps; step = column.next(step + 1)) {
        Column count =
            counts.computeIfAbsent(
                GoNumber.plain(column.get(step)),
                value -> {
                  held.row(steps);
                  return new Column(steps);
                });
        count.set(step, count.has(step) ? count.get(step) + 1 : 1);
      }
    }

    @Override
    public void end(Labels group, RowSink next) {
      counts.forEach((value, count) -> {
        next.row(group.with(label, value), count);
        held.release(steps);
      });
    }
  }
}
