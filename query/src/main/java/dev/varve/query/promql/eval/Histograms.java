package dev.varve.query.promql.eval;

import dev.varve.query.promql.SourceRange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects the buckets of classic histograms, whose upper bounds are in the label {@code le}. */
final class Histograms implements RowSink {
  private static final String BOUND = "le";

  private final SourceRange position;
  private final Question question;
  private final int steps;
  private final RowSink next;
  private final Notes notes;
  private final RowMemory held;
  private final Map<Labels, List<Bound>> histograms = new LinkedHashMap<>();

  private record Bound(double upper, Column counts) {}

  /** A function of the buckets at one step. */
  @FunctionalInterface
  interface Question {
    double ask(int step, HistogramBuckets buckets);
  }

  /**
   * Creates a sink.
   *
   * @param position position of the expression that returns the buckets
   */
  Histograms(
      SourceRange position,
      Question question,
      int steps,
      RowSink next,
      Notes notes,
      RowMemory held) {
    this.position = position;
    this.question = question;
    this.steps = steps;
    this.next = next;
    this.notes = notes;
    this.held = held;
  }

  @Override
  public void row(Labels labels, Column column) {
    double upper = ValueText.parse(labels.get(BOUND));
    if (Double.isNaN(upper)) {
      notes.warn(
          "bucket label \"le\" is missing or has a malformed value of \"%s\" for metric name \"%s\""
              .formatted(labels.get(BOUND), labels.get(Labels.NAME)),
          position);
      return;
    }
    held.row(column.steps());
    histograms
        .computeIfAbsent(labels.without(List.of(BOUND)), key -> new ArrayList<>())
        .add(new Bound(upper, column));
  }

  @Override
  public void end() {
    Rows.Merged merged = new Rows.Merged(held, next);
    HistogramBuckets buckets = new HistogramBuckets();
    histograms.forEach((labels, bounds) -> {
      Column result = new Column(steps);
      for (int step = 0; step < steps; step++) {
        held.wanted();
        buckets.clear();
        for (Bound bound : bounds) {
          if (bound.counts.has(step)) {
            buckets.add(bound.upper, bound.counts.get(step));
          }
        }
        if (!buckets.isEmpty()) {
          result.set(step, question.ask(step, buckets));
          tell(buckets, labels);
        }
      }
      if (!result.isEmpty()) {
        merged.row(labels.withoutName(), result);
      }
      bounds.forEach(bound -> held.release(steps));
    });
    merged.end();
  }

  private void tell(HistogramBuckets buckets, Labels labels) {
    if (buckets.isMended()) {
      notes.inform(
          "input to histogram_quantile needed to be fixed for monotonicity (see https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile) for metric name \"%s\""
              .formatted(labels.get(Labels.NAME)),
          position);
    }
  }
}
