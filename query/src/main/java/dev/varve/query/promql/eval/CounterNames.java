package dev.varve.query.promql.eval;

import dev.varve.query.promql.plan.StepPlan;

/** Adds notes about rates of metrics that may not be counters. */
final class CounterNames {
  private final StepPlan.Window window;
  private final Notes notes;
  private String last = "";

  CounterNames(StepPlan.Window window, Notes notes) {
    this.window = window;
    this.notes = notes;
  }

  void look(Labels labels) {
    if (!window.looksAtName()) {
      return;
    }
    String name = labels.get(Labels.NAME);
    if (name.isEmpty() || name.equals(last)) {
      return;
    }
    last = name;
    if (!name.matches("(?s).*_(total|sum|count|bucket)")) {
      notes.inform(
          "metric might not be a counter, name does not end in _total/_sum/_count/_bucket: \"%s\""
              .formatted(name),
          window.position().range());
    }
  }
}
