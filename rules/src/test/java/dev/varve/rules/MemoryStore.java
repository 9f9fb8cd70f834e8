package dev.varve.rules;

import dev.varve.engine.request.WriteResult;
import dev.varve.layout.Refusal;
import dev.varve.model.Batch;
import dev.varve.model.Column;
import dev.varve.model.Resolution;
import dev.varve.model.SampleGroup;
import dev.varve.model.Series;
import dev.varve.model.Value;
import dev.varve.query.MemoryRuns;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.promql.eval.PromQuery;
import dev.varve.query.promql.eval.PromResult;
import dev.varve.query.promql.eval.PromSettings;
import dev.varve.query.running.QueryUse;
import dev.varve.query.running.Runs;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Samples in memory, for rules to read and write. */
final class MemoryStore implements RuleStore {
  private final MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);

  /** Whether the store can hold staleness markers. */
  boolean marked = true;

  /** Metric whose series are rejected. */
  String refused = "";

  /** Whether the store fails. */
  boolean broken;

  /** Whether reads overflow the stack. */
  boolean exhausted;

  @Override
  public PromResult instant(
      String expression, Instant at, PromSettings settings, Consumer<QueryUse> known) {
    if (exhausted) {
      throw new StackOverflowError();
    }
    return ask(runs, expression, at, settings, known);
  }

  static PromResult ask(
      Runs runs, String expression, Instant at, PromSettings settings, Consumer<QueryUse> known) {
    QueryUse use = QueryUse.of(QueryLimits.DEFAULTS);
    known.accept(use);
    return new PromQuery(expression, runs, use, settings).instant(at.toEpochMilli());
  }

  @Override
  public boolean holdsMarkers() {
    return marked;
  }

  @Override
  public synchronized WriteResult write(Batch batch) {
    if (broken) {
      throw new IllegalStateException("the disk is full");
    }
    List<WriteResult.Rejection> rejections = new ArrayList<>();
    int accepted = 0;
    for (SampleGroup group : batch.groups()) {
      if (group.key().metric().equals(refused)) {
        rejections.add(
            new WriteResult.Rejection(group.key(), null, null, new Refusal("test", "no room")));
        continue;
      }
      for (Column column : group.columns()) {
        Column.Doubles doubles = (Column.Doubles) column;
        for (int i = 0; i < group.size(); i++) {
          add(group.key().field(column.field()), group.times()[i], doubles.values()[i]);
          accepted++;
        }
      }
    }
    return new WriteResult(accepted, rejections.size(), rejections);
  }

  void add(Series series, long time, double value) {
    runs.add(series, time, new Value.Real(value));
  }

  /** Evaluates an expression, and returns the values by labels. */
  Map<String, Double> query(String expression, Instant at) {
    PromResult.Vector vector =
        (PromResult.Vector)
            new PromQuery(expression, runs, PromSettings.DEFAULTS).instant(at.toEpochMilli());
    Map<String, Double> values = new TreeMap<>();
    vector.elements().forEach(e -> values.put(e.labels().toString(), e.value()));
    return values;
  }
}
