package dev.varve.rules;

import dev.varve.engine.request.WriteResult;
import dev.varve.model.BatchBuilder;
import dev.varve.model.ErrorKind;
import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.StaleMarker;
import dev.varve.model.Tags;
import dev.varve.query.promql.eval.Labels;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A rule group with its state. Used by one thread at a time; {@link #status} and {@link #stop} may
 * be called from any thread.
 */
final class EvaluatedGroup {
  private final RuleGroup group;
  private final RuleStore store;
  private final RuleSettings settings;
  private final Surroundings around;
  private final List<EvaluatedRule> rules = new ArrayList<>();

  private final AtomicLong iterations = new AtomicLong();
  private final AtomicLong missed = new AtomicLong();
  private final AtomicLong evaluations = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private volatile long samples;
  private volatile @Nullable Duration restoring;
  private volatile @Nullable Instant lastEvaluation;
  private volatile Duration took = Duration.ZERO;
  private volatile boolean stopped;
  private volatile @Nullable RuleQueries running;

  /** Series of removed rules, to be ended at the next evaluation. */
  private List<Labels> orphans = new ArrayList<>();

  /** The services that a group needs from its owner. */
  interface Surroundings {
    AlertSink alerts();

    RuleListener listener();

    /** Runs one rule when there is capacity for it. */
    void inTurn(RuleQueries queries, Runnable work);
  }

  EvaluatedGroup(
      RuleGroup group,
      RuleStore store,
      RuleSettings settings,
      Surroundings around,
      boolean restored) {
    this.group = group;
    this.store = store;
    this.settings = settings;
    this.around = around;
    for (Rule rule : group.rules()) {
      rules.add(
          switch (rule) {
            case Rule.Recording recording -> new EvaluatedRecording(recording);
            case Rule.Alerting alerting -> new EvaluatedAlerting(alerting, settings, restored);
          });
    }
  }

  RuleGroup group() {
    return group;
  }

  void missed(long count) {
    missed.addAndGet(count);
    iterations.addAndGet(count);
  }

  private Duration offset() {
    Duration own = group.queryOffset();
    return own == null ? settings.queryOffset() : own;
  }

  /** Evaluates all rules. */
  void evaluate(Instant at, Instant now) {
    iterations.incrementAndGet();
    long start = System.nanoTime();
    long given = 0;
    for (EvaluatedRule rule : rules) {
      if (stopped) {
        return;
      }
      given += evaluate(rule, at, now.plusNanos(System.nanoTime() - start));
    }
    samples = given;
    endOrphans(at);
    took = Duration.ofNanos(System.nanoTime() - start);
    lastEvaluation = now;
  }

  private int evaluate(EvaluatedRule rule, Instant at, Instant now) {
    RuleQueries queries = new RuleQueries(store, settings);
    int[] given = new int[1];
    around.inTurn(
        queries,
        () -> {
          running = queries;
          if (stopped) {
            queries.stop();
          }
          long start = System.nanoTime();
          evaluations.incrementAndGet();
          String problem = null;
          @Nullable Throwable cause = null;
          try {
            List<RuleSample> vector = rule.evaluate(queries, at, offset(), group.limit());
            given[0] = vector.size();
            if (rule instanceof EvaluatedAlerting alerting) {
              tell(alerting, at);
            }
            problem = write(rule, vector, at);
          } catch (RuleFailedException e) {
            problem = String.valueOf(e.getMessage());
          } catch (RuntimeException | Error e) {
            // Errors are caught too: if the group's thread died, its alerts would neither fire nor
            // resolve.
            problem = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
            cause = saysItAll(e) ? null : e;
          } finally {
            running = null;
          }
          if (problem != null && !queries.isStopped()) {
            failures.incrementAndGet();
            around.listener().failed(group, rule.rule(), problem, cause);
          }
          rule.ended(now, Duration.ofNanos(System.nanoTime() - start), problem);
        });
    return given[0];
  }

  /**
   * Returns whether the message of a failure suffices. Other failures are logged with a stack
   * trace.
   */
  private static boolean saysItAll(Throwable e) {
    return ErrorKind.of(e) != ErrorKind.INTERNAL;
  }

  private void tell(EvaluatedAlerting alerting, Instant at) {
    List<AlertSink.Notification> alerts = alerting.notifications(at, group.interval());
    if (!alerts.isEmpty()) {
      around.alerts().send(alerts);
    }
  }

  /**
   * Writes the results of a rule, and ends the series that it no longer returns.
   *
   * @return an error message; null if everything was written
   */
  private @Nullable String write(EvaluatedRule rule, List<RuleSample> vector, Instant at) {
    long time = at.minus(offset()).toEpochMilli();
    BatchBuilder batch = new BatchBuilder();
    Map<GroupKey, Labels> byKey = new HashMap<>();
    for (RuleSample sample : vector) {
      GroupKey key = key(sample.labels());
      byKey.put(key, sample.labels());
      batch.group(key).add(Series.DEFAULT_FIELD, time, sample.value());
    }
    Set<Labels> now = new HashSet<>(byKey.values());
    int ended = 0;
    for (Labels before : rule.written) {
      if (!now.contains(before) && end(before, time, batch)) {
        ended++;
      }
    }
    if (batch.isEmpty()) {
      rule.written = now;
      return null;
    }
    WriteResult result = store.write(batch.build());
    String problem = null;
    for (WriteResult.Rejection rejection : result.rejections()) {
      Labels refused = byKey.get(rejection.key());
      if (refused != null) {
        now.remove(refused);
        if (problem == null) {
          problem =
              "%d of %d samples were rejected, such as %s: %s"
                  .formatted(
                      result.refused(),
                      vector.size() + ended,
                      refused,
                      rejection.refusal().message());
        }
      }
    }
    rule.written = now;
    return problem;
  }

  /**
   * Adds a sample that ends a series. Adds nothing if series can only go stale, except for the
   * state of alerts: otherwise, an alert would continue after a restart.
   *
   * @return whether a sample was added
   */
  private boolean end(Labels series, long time, BatchBuilder batch) {
    boolean forState = EvaluatedAlerting.FOR_STATE.equals(series.get(Series.NAME_LABEL));
    if (!store.holdsMarkers() && !forState) {
      return false;
    }
    double value = store.holdsMarkers() ? StaleMarker.VALUE : StateRestoration.ENDED;
    batch.group(key(series)).add(Series.DEFAULT_FIELD, time, value);
    return true;
  }

  private static GroupKey key(Labels labels) {
    Map<String, String> tags = labels.toMap();
    String metric = tags.remove(Series.NAME_LABEL);
    return GroupKey.of(metric == null ? "" : metric, Tags.of(tags));
  }

  /** Ends the series of removed rules. */
  private void endOrphans(Instant at) {
    BatchBuilder batch = new BatchBuilder();
    for (Labels orphan : orphans) {
      end(orphan, at.minus(offset()).toEpochMilli(), batch);
    }
    if (!batch.isEmpty()) {
      try {
        store.write(batch.build());
      } catch (RuntimeException e) {
        around.listener().failed(group, null, "series of removed rules cannot be ended", e);
        return;
      }
    }
    orphans = new ArrayList<>();
  }

  /** Ends all series after the group was removed. */
  void endAll(Instant at) {
    rules.forEach(rule -> orphans.addAll(rule.written));
    endOrphans(at);
  }

  /**
   * Takes over the state of the group of the same name that this one replaces. Rules match if their
   * name and labels are equal.
   */
  void takeOver(EvaluatedGroup from) {
    took = from.took;
    lastEvaluation = from.lastEvaluation;
    orphans = new ArrayList<>(from.orphans);
    Map<String, Deque<EvaluatedRule>> before = new HashMap<>();
    for (EvaluatedRule rule : from.rules) {
      before.computeIfAbsent(nameAndLabels(rule), key -> new ArrayDeque<>()).add(rule);
    }
    for (EvaluatedRule rule : rules) {
      Deque<EvaluatedRule> same = before.get(nameAndLabels(rule));
      EvaluatedRule old = same == null ? null : same.poll();
      if (old != null) {
        rule.takeOver(old);
      }
    }
    before.values().stream()
        .flatMap(Collection::stream)
        .forEach(rule -> orphans.addAll(rule.written));
  }

  private static String nameAndLabels(EvaluatedRule rule) {
    return rule.rule().name() + rule.rule().labels();
  }

  /** Restores the state of alerts from before the restart. */
  void restore(Instant now) {
    long start = System.nanoTime();
    for (EvaluatedRule rule : rules) {
      if (!(rule instanceof EvaluatedAlerting alerting)) {
        continue;
      }
      RuleQueries queries = new RuleQueries(store, settings);
      around.inTurn(
          queries,
          () -> {
            running = queries;
            if (stopped) {
              queries.stop();
            }
            try {
              new StateRestoration(queries, settings).restore(alerting, now);
            } catch (RuleFailedException e) {
              around
                  .listener()
                  .failed(group, rule.rule(), "state not restored: " + e.getMessage(), null);
            } catch (RuntimeException | Error e) {
              around.listener().failed(group, rule.rule(), "state not restored", e);
            } finally {
              running = null;
            }
            // There is no retry: the alert fires after its full hold time.
            alerting.restored();
          });
    }
    restoring = Duration.ofNanos(System.nanoTime() - start);
  }

  /** Makes the running rule end soon and starts no other. */
  void stop() {
    stopped = true;
    RuleQueries queries = running;
    if (queries != null) {
      queries.stop();
    }
  }

  boolean isStopped() {
    return stopped;
  }

  GroupStatus status() {
    return new GroupStatus(
        group,
        lastEvaluation,
        took,
        new GroupStatus.Counts(
            iterations.get(), missed.get(), evaluations.get(), failures.get(), samples, restoring),
        rules.stream().map(EvaluatedRule::status).toList());
  }
}
