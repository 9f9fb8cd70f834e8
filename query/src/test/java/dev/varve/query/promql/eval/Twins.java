package dev.varve.query.promql.eval;

import dev.varve.query.promql.Expr;
import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.Printer;
import dev.varve.query.promql.PromQl;
import dev.varve.query.promql.QueryUses;
import dev.varve.query.promql.VectorMatching;
import dev.varve.query.promql.VectorMatching.Cardinality;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Two series of one group that an error reports as duplicates on the "one" side of an operator. */
record Twins(Map<String, String> group, String side, Labels one, Labels other) {
  private static final Pattern ERROR =
      Pattern.compile(
          "found duplicate series for the match group (?<group>\\{.*}) on the (?<side>left|right)"
              + " hand-side of the operation: \\[(?<one>\\{.*}), (?<other>\\{.*})];many-to-many"
              + " matching not allowed: matching labels must be unique on one side",
          Pattern.DOTALL);

  /** Returns whether an answer is such an error of a query, and names existing series. */
  static boolean explain(Expr query, Answer answer, KnownDifference.Again again) {
    Matcher error = ERROR.matcher(answer.text());
    if (!answer.isError() || !error.matches()) {
      return false;
    }
    Twins twins =
        new Twins(
            labels(error.group("group")).toMap(),
            error.group("side"),
            labels(error.group("one")),
            labels(error.group("other")));
    return QueryUses.parts(query)
        .anyMatch(part -> part instanceof Expr.Binary binary && twins.meetIn(binary, again));
  }

  private static Labels labels(String text) {
    Map<String, String> labels = new TreeMap<>();
    if (!text.equals("{}") && PromQl.parse(text) instanceof Expr.VectorSelector selector) {
      for (LabelMatcher matcher : selector.matchers()) {
        labels.put(matcher.name(), matcher.value());
      }
    }
    return Labels.of(labels);
  }

  private boolean meetIn(Expr.Binary binary, KnownDifference.Again again) {
    VectorMatching matching = binary.matching();
    return matching != null
        && !one.equals(other)
        && side.equals(matching.cardinality() == Cardinality.ONE_TO_MANY ? "left" : "right")
        && isOf(matching, one)
        && isOf(matching, other)
        && existIn(side.equals("left") ? binary.left() : binary.right(), again);
  }

  private boolean isOf(VectorMatching matching, Labels labels) {
    Labels signature =
        matching.on()
            ? labels.only(matching.labels())
            : labels.withoutMetric().without(matching.labels());
    return signature.toMap().equals(group);
  }

  private boolean existIn(Expr operand, KnownDifference.Again again) {
    String text = Printer.print(operand);
    return existIn(again.same(text)) || existIn(again.all(text));
  }

  private boolean existIn(Answer answer) {
    return answer.rows().containsKey(one.toMap()) && answer.rows().containsKey(other.toMap());
  }
}
