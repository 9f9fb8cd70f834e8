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
 * Measures what the operators of a query do: how many rows and values each gives, and the time that
 * passes in it and in no other. Only its figures of scans are for several threads.
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

  /** The figures of a scan, which its readers add to. */
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

  /** What has passed goes to the operator under way; what comes to this one. */
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

  /** Counts the rows that an operator gives to another. */
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

  /** What an operator did; null where it did nothing. */
  PlanTree.@Nullable Figures figures(StepPlan operator) {
    Counted counted = operators.get(operator);
    return counted == null
        ? null
        : new PlanTree.Figures(counted.rows, counted.values, counted.nanos);
  }
}
