package dev.varve.query;

import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Measures a query while it runs: the rows and values that each operator returns, the time spent in
 * it without its inputs, and the cost of each read. Operators belong to the query's own thread;
 * reads are thread-safe.
 *
 * @param <N> the operators of a language, told apart by identity
 * @param <R> its reads, told apart by equality
 */
public final class Analysis<N, R> {
  private final IdentityHashMap<N, Counted> operators = new IdentityHashMap<>();
  private final Map<R, ReadFigures> reads = new ConcurrentHashMap<>();
  private @Nullable N current;
  private final long begun = System.nanoTime();
  private long since = begun;

  private static final class Counted {
    private long rows;
    private long values;
    private long nanos;
  }

  /**
   * Switches to another operator: attributes the time elapsed so far to the current one.
   *
   * @param operator null for none
   * @return the operator before; null if there was none
   */
  public @Nullable N enter(@Nullable N operator) {
    long now = System.nanoTime();
    N before = current;
    if (before != null) {
      counted(before).nanos += now - since;
    }
    since = now;
    current = operator;
    return before;
  }

  private Counted counted(N operator) {
    return operators.computeIfAbsent(operator, fresh -> new Counted());
  }

  /** Counts what an operator returns; 0 and 0 for one that ran and returned nothing. */
  public void returned(N operator, long rows, long values) {
    Counted counted = counted(operator);
    counted.rows += rows;
    counted.values += values;
  }

  /** Returns the figures of a read, to be updated by its readers. */
  public ReadFigures read(R read) {
    return reads.computeIfAbsent(read, fresh -> new ReadFigures());
  }

  /** Returns the figures of an operator; null if it was not run. */
  public PlanTree.@Nullable Figures figures(N operator) {
    Counted counted = operators.get(operator);
    return counted == null
        ? null
        : new PlanTree.Figures(counted.rows, counted.values, counted.nanos);
  }

  /** Returns the time since the measuring began, in nanoseconds. */
  public long nanos() {
    return System.nanoTime() - begun;
  }
}
