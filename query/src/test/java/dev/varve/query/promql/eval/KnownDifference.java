package dev.varve.query.promql.eval;

import dev.varve.query.promql.AggregateOperator;
import dev.varve.query.promql.Expr;
import dev.varve.query.promql.Printer;
import dev.varve.query.promql.QueryUses;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Where Varve's answers differ from those of Prometheus 3.5, and why they may. */
enum KnownDifference {
  TIES(
      "`topk` and `bottomk` of equal values: Prometheus takes any of them, by the order of its"
          + " storage and of a heap; Varve the first by metric and tags") {
    @Override
    boolean explains(Expr query, Answer ours, Answer theirs, Over over) {
      return ours.isError() == theirs.isError() && has(query, part -> isTied(part, over));
    }
  },
  MANY_NOTES(
      "more than ten warnings: Prometheus shows any ten and counts the others, Varve shows the"
          + " first ten") {
    @Override
    boolean explains(Expr query, Answer ours, Answer theirs, Over over) {
      return theirs.notes().stream().anyMatch(note -> note.contains("omitted"))
          && ours.withNotes(theirs.notes()).difference(theirs, false) == null;
    }
  },
  LAST_DIGITS(
      "numbers in texts, by `count_values` or in a warning: the last of 17 digits may differ, as Go"
          + " and Java work out powers, sines and sums in their own ways") {
    @Override
    boolean explains(Expr query, Answer ours, Answer theirs, Over over) {
      // Of many numbers one may lie where ten digits are rounded in two ways.
      return ours.rounded(10).difference(theirs.rounded(10), false) == null
          || ours.rounded(9).difference(theirs.rounded(9), false) == null;
    }
  },
  PLACES(
      "the place in a note: of notes that are equal but for it Prometheus shows one; of a counter in a"
          + " subquery it has forgotten it and says 1:1; of an argument in parentheses it says now"
          + " theirs, now that of what is in them, as Varve does") {
    @Override
    boolean explains(Expr query, Answer ours, Answer theirs, Over over) {
      return ours.withoutPlaces().difference(theirs.withoutPlaces(), false) == null;
    }
  },
  PINNED_TIMESTAMP(
      "`timestamp(x @ TIME offset LENGTH)`: Prometheus forgets the offset and looks among samples"
          + " read for another time") {
    @Override
    boolean explains(Expr query, Answer ours, Answer theirs, Over over) {
      return has(query, KnownDifference::isPinnedTimestamp);
    }
  },
  ORDER_OF_OVERFLOW(
      "sums, means and deviations of values near the greatest that there are: whether they come to"
          + " an infinity or to NaN is a matter of the order of series") {
    @Override
    boolean explains(Expr query, Answer ours, Answer theirs, Over over) {
      return has(
              query,
              part ->
                  part instanceof Expr.Aggregate aggregate && SUMS.contains(aggregate.operator()))
          && ours.withoutOverflown().difference(theirs.withoutOverflown(), false) == null;
    }
  },
  ORDER_OF_DEVIATIONS(
      "the last digits of `stddev` and `stdvar`, and whatever a function makes of these: both go from"
          + " a mean to the next, Prometheus in the order of its storage, Varve by metric and tags") {
    @Override
    boolean explains(Expr query, Answer ours, Answer theirs, Over over) {
      if (!has(query, KnownDifference::isDeviation)) {
        return false;
      }
      return ours.ofSixDigits().difference(theirs.ofSixDigits(), false) == null
          || (has(query, KnownDifference::mayEnlarge)
              && ours.withoutValues().difference(theirs.withoutValues(), false) == null);
    }
  },
  PARAMETER_OF_CONSTANTS(
      "the parameter of an aggregation over what is the same at all times: Prometheus works it out for"
          + " the first of them alone, and warns of that") {
    @Override
    boolean explains(Expr query, Answer ours, Answer theirs, Over over) {
      return has(query, KnownDifference::isOfConstants)
          && ours.withNotes(theirs.notes()).difference(theirs, false) == null;
    }
  },
  LOGARITHMS_OF_THE_LEAST(
      "logarithms of numbers below 2^-1022, which Go takes for 2^-1023 on amd64 alone") {
    @Override
    boolean explains(Expr query, Answer ours, Answer theirs, Over over) {
      return has(query, KnownDifference::isLogarithm)
          && ours.withoutLeast().difference(theirs.withoutLeast(), false) == null;
    }
  };

  private static final Set<AggregateOperator> SUMS =
      EnumSet.of(
          AggregateOperator.SUM,
          AggregateOperator.AVG,
          AggregateOperator.STDDEV,
          AggregateOperator.STDVAR);

  private static final Set<String> LOGARITHMS = Set.of("ln", "log2", "log10");

  /** Asks for all times that there are. */
  interface Over {
    Answer all(String query);
  }

  private final String reason;

  KnownDifference(String reason) {
    this.reason = reason;
  }

  String reason() {
    return reason;
  }

  abstract boolean explains(Expr query, Answer ours, Answer theirs, Over over);

  /** What explains a difference; null if nothing does. */
  static @Nullable KnownDifference of(Expr query, Answer ours, Answer theirs, Over over) {
    for (KnownDifference known : values()) {
      if (known.explains(query, ours, theirs, over)) {
        return known;
      }
    }
    return null;
  }

  /** Whether part of a query chooses among values of which two were ever equal. */
  private static boolean isTied(Expr part, Over over) {
    if (!(part instanceof Expr.Aggregate aggregate)
        || (aggregate.operator() != AggregateOperator.TOPK
            && aggregate.operator() != AggregateOperator.BOTTOMK)) {
      return false;
    }
    String grouping =
        aggregate.labels().stream().map(Labels::quoted).collect(Collectors.joining(", "));
    Answer most =
        over.all(
            "max(count_values %s (%s) (\"the value\", %s)) > 1"
                .formatted(
                    aggregate.without() ? "without" : "by",
                    grouping,
                    Printer.print(aggregate.expr())));
    return !most.isEmpty();
  }

  private static boolean isDeviation(Expr part) {
    return part instanceof Expr.Aggregate aggregate
        && (aggregate.operator() == AggregateOperator.STDDEV
            || aggregate.operator() == AggregateOperator.STDVAR);
  }

  /** Whether numbers that nearly agree may come out of it as others. */
  private static boolean mayEnlarge(Expr part) {
    return (part instanceof Expr.Call || part instanceof Expr.Binary)
        && has(part, KnownDifference::isDeviation);
  }

  private static boolean isOfConstants(Expr part) {
    return part instanceof Expr.Aggregate aggregate
        && aggregate.operator() == AggregateOperator.QUANTILE
        && !has(aggregate.expr(), of -> of instanceof Expr.VectorSelector || isTime(of));
  }

  private static boolean isTime(Expr part) {
    return part instanceof Expr.Call call && call.function().name().equals("time");
  }

  private static boolean isLogarithm(Expr part) {
    return part instanceof Expr.Call call && LOGARITHMS.contains(call.function().name());
  }

  private static boolean isPinnedTimestamp(Expr part) {
    return part instanceof Expr.Call call
        && call.function().name().equals("timestamp")
        && bare(call.arguments().getFirst()) instanceof Expr.VectorSelector selector
        && selector.modifiers().at() != null
        && !selector.modifiers().offset().isZero();
  }

  private static Expr bare(Expr expr) {
    return expr instanceof Expr.Paren paren ? bare(paren.expr()) : expr;
  }

  private static boolean has(Expr query, Predicate<Expr> wanted) {
    boolean[] found = new boolean[1];
    QueryUses.eachPart(query, part -> found[0] |= wanted.test(part));
    return found[0];
  }
}
