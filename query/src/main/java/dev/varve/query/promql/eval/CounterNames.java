package dev.varve.query.promql.eval;

import dev.varve.query.promql.Expr;

/** Tells of rates of what is perhaps no counter. */
final class CounterNames {
  private final boolean looks;
  private final Expr.Call call;
  private final Notes notes;
  private String last = "";

  CounterNames(String function, Expr.Call call, Notes notes) {
    this.looks = function.equals("rate") || function.equals("increase");
    this.call = call;
    this.notes = notes;
  }

  void look(Labels labels) {
    if (!looks) {
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
          call.arguments().getFirst().source());
    }
  }
}
