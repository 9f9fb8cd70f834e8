package dev.varve.query.promql.eval;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.query.promql.PromQlException;
import dev.varve.query.running.Runs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A query of Varve and its times, which can be run again in other ways.
 *
 * @param start time of the first step or of an instant query, in ms since 1970
 * @param end latest time of the last step
 * @param step in ms; 0 for an instant query
 */
record AskedAgain(String query, SampleOrders samples, long start, long end, long step)
    implements KnownDifference.Again {
  private static final Duration EVERY = Duration.ofSeconds(15);

  /** Returns Varve's answer. */
  Answer answer() {
    return same(query);
  }

  @Override
  public Answer all(String other) {
    return of(
        other, samples.runs(), promql -> promql.range(RandomSeries.START, RandomSeries.END, EVERY));
  }

  @Override
  public Answer same(String other) {
    return of(other, samples.runs(), this::asked);
  }

  @Override
  public Answer asStored() {
    return of(query, samples.asStored(), this::asked);
  }

  @Override
  public Answer atEveryMinute(String other) {
    return step == 0
        ? same(other)
        : of(other, samples.runs(), promql -> promql.range(start, end, Duration.ofMinutes(1)));
  }

  @Override
  public long steps() {
    return step == 0 ? 1 : (end - start) / step + 1;
  }

  @Override
  public List<Answer> atEachStep(String other) {
    List<Answer> answers = new ArrayList<>();
    for (long time = start; time <= end; time += step == 0 ? end - start + 1 : step) {
      long at = time;
      answers.add(of(other, samples.runs(), promql -> promql.instant(at)));
    }
    return answers;
  }

  @Override
  public List<Answer> inOtherOrders() {
    return samples.inOtherOrders().stream().map(runs -> of(query, runs, this::asked)).toList();
  }

  private PromResult asked(PromQuery promql) {
    return step == 0 ? promql.instant(start) : promql.range(start, end, Duration.ofMillis(step));
  }

  private static Answer of(String query, Runs runs, Function<PromQuery, PromResult> asked) {
    try {
      PromQuery promql = new PromQuery(query, runs, PromSettings.DEFAULTS);
      PromResult result = asked.apply(promql);
      return Answer.of(result, promql.notes());
    } catch (PromQlException e) {
      // The same text as in the server's response.
      return Answer.error("invalid parameter \"query\": " + e.getMessage());
    } catch (PromQlEvaluationException | QueryRefusedException e) {
      return Answer.error(String.valueOf(e.getMessage()));
    }
  }
}
