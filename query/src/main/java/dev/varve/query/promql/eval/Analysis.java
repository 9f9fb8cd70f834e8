package dev.varve.query.promql.eval;

import dev.varve.query.PlanExplanation;
import dev.varve.query.PlanTree;
import dev.varve.query.promql.plan.Scan;
import dev.varve.query.promql.plan.StepPlan;
import dev.varve.store.ReadCost;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Measures the operators of a query: the rows and values that each returns, and the time spent in
 * it, excluding its inputs. Only the figures of scans are thread-safe.
 */
final class Analysis {
  private final IdentityHashMap<StepPlan, Counted> operators = new IdentityHashMap<>();
  private final Map<Scan, OfScan> scans = new HashMap<>();
  private @Nullable StepPlan current;
  private long since = System.nanoTime();

  private static final class Counted {
    private long rows;
    private long values;
    private long nanos;
  }

  /** Figures of a scan, updated by its readers. */
  static final class OfScan {
    private ReadCost cost = ReadCost.NOTHING;
    private final LongAdder series = new LongAdder();
    private final LongAdder samples = new LongAdder();
    private final LongAdder readNanos = new LongAdder();
    private final LongAdder workNanos = new LongAdder();

    synchronized void cost(ReadCost more) {
      cost = cost.plus(more);
    }

    void series(long samplesOfIt, long reading, long working) {
      series.increment();
      samples.add(samplesOfIt);
      readNanos.add(reading);
      workNanos.add(working);
    }

    synchronized PlanExplanation.Actual actual() {
      return new PlanExplanation.Actual(
          cost, series.sum(), samples.sum(), readNanos.sum(), workNanos.sum());
    }
  }

  /** Switches to another operator: attributes the time elapsed so far to the current one. */
  @Nullable StepPlan enter(@Nullable StepPlan operator) {
    long now = System.nanoTime();
    StepPlan before = current;
    if (before != null) {
      counted(before).nanos += now - since;
    }
    since = now;
    current = operator;
    return before;
  }

  private Counted counted(StepPlan operator) {
    return operators.computeIfAbsent(operator, fresh -> new Counted());
  }

  /** Counts the rows that an operator passes to another. */
  RowSink output(StepPlan operator, @Nullable StepPlan to, RowSink into) {
    Counted counted = counted(operator);
    return (labels, column) -> {
      counted.rows++;
      counted.values += column.count();
      StepPlan before = enter(to);
      into.row(labels, column);
      enter(before);
    };
  }

  OfScan of(Scan scan) {
    return scans.computeIfAbsent(scan, fresh -> new OfScan());
  }

  /** Returns the figures of an operator; null if it was not run. */
  PlanTree.@Nullable Figures figures(StepPlan operator) {
    Counted counted = operators.get(operator);
    return counted == null
        ? null
        : new PlanTree.Figures(counted.rows, counted.values, counted.nanos);
  }
}
