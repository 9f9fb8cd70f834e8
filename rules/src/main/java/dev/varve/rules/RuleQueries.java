package dev.varve.rules;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.query.promql.PromQlException;
import dev.varve.query.promql.eval.Labels;
import dev.varve.query.promql.eval.PromQlEvaluationException;
import dev.varve.query.promql.eval.PromResult;
import dev.varve.query.promql.eval.PromSettings;
import dev.varve.query.running.Outcome;
import dev.varve.query.running.QueryStoppedException;
import dev.varve.query.running.QueryUse;
import dev.varve.store.ReadCancelledException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The queries of one evaluation of one rule, which run one after another under a common timeout.
 * {@link #stop} and {@link #expire} may be called from any thread.
 */
final class RuleQueries {
  private final RuleStore store;
  private final RuleSettings settings;

  /** Guarded by this. */
  private @Nullable QueryUse running;

  /** Why no more queries may run; null while they may. Guarded by this. */
  private @Nullable String ended;

  RuleQueries(RuleStore store, RuleSettings settings) {
    this.store = store;
    this.settings = settings;
  }

  /** Ends the running query because the server or the group is stopping. */
  void stop() {
    end("stopped");
  }

  /** Ends the running query because of the timeout. */
  void expire() {
    end("the rule exceeded its timeout of %s".formatted(text(settings.timeout())));
  }

  private static String text(Duration duration) {
    return duration.toMillis() % 1000 == 0
        ? duration.toSeconds() + " s"
        : duration.toMillis() + " ms";
  }

  private synchronized void end(String reason) {
    if (ended == null) {
      ended = reason;
    }
    if (running != null) {
      running.stop(Outcome.GONE);
    }
  }

  synchronized void ensureWanted() throws RuleFailedException {
    if (ended != null) {
      throw new RuleFailedException(ended);
    }
  }

  synchronized boolean isStopped() {
    return "stopped".equals(ended);
  }

  /**
   * Returns the samples of an expression at one time. A scalar becomes one sample without labels.
   */
  List<PromResult.Element> instant(String expression, Instant at) throws RuleFailedException {
    return instant(expression, at, settings.promql());
  }

  List<PromResult.Element> instant(String expression, Instant at, PromSettings limits)
      throws RuleFailedException {
    try {
      ensureWanted();
      return switch (store.instant(expression, at, limits, this::begun)) {
        case PromResult.Vector vector -> vector.elements();
        case PromResult.Scalar scalar ->
            List.of(new PromResult.Element(Labels.NONE, scalar.value()));
        case PromResult.Matrix matrix ->
            throw new RuleFailedException("rule result is not a vector or scalar");
        case PromResult.Text text ->
            throw new RuleFailedException("rule result is not a vector or scalar");
      };
    } catch (PromQlException | PromQlEvaluationException | QueryRefusedException e) {
      throw new RuleFailedException(String.valueOf(e.getMessage()));
    } catch (QueryStoppedException e) {
      ensureWanted();
      throw new RuleFailedException(String.valueOf(e.getMessage()));
    } catch (ReadCancelledException e) {
      ensureWanted();
      throw e;
    } finally {
      synchronized (this) {
        running = null;
      }
    }
  }

  private synchronized void begun(QueryUse query) {
    running = query;
    if (ended != null) {
      query.stop(Outcome.GONE);
    }
  }
}
