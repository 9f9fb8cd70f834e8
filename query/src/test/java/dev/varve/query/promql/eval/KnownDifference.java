package dev.varve.query.promql.eval;

import com.google.re2j.Pattern;
import dev.varve.query.promql.AggregateOperator;
import dev.varve.query.promql.At;
import dev.varve.query.promql.BinaryOperator;
import dev.varve.query.promql.Expr;
import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.Modifiers;
import dev.varve.query.promql.Printer;
import dev.varve.query.promql.PromQl;
import dev.varve.query.promql.QueryUses;
import dev.varve.query.promql.ValueType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Known differences between the answers of Varve and Prometheus 3.5, and their justification. No
 * rule accepts arbitrary differences: either Varve returns the answer of Prometheus if the query is
 * rewritten to what Prometheus understands, or the answers differ only where Varve's own answer
 * depends on something unspecified.
 */
enum KnownDifference {
  ORDER_OF_SERIES(
      "the last digits of sums, means and deviations, results of functions and comparisons of"
          + " these, and whether values near the limits of a double become an infinity or NaN:"
          + " they depend on the order of series, which is random or that of its storage in"
          + " Prometheus, and by metric and tags in Varve") {
    @Override
    boolean explains(Found found, Again again) {
      if (!has(found.query(), KnownDifference::isSum)) {
        return false;
      }
      Answer stored = again.asStored();
      return found.is(stored)
          || found.theirs().liesAmong(join(found.ours(), stored, again.inOtherOrders()));
    }
  },
  TIES(
      "`topk` and `bottomk` of equal values: Prometheus returns any of them, depending on the"
          + " order of its storage and of a heap; Varve returns the first by metric and tags") {
    @Override
    boolean explains(Found found, Again again) {
      if (!has(found.query(), part -> isTied(part, again))) {
        return false;
      }
      Answer ours = found.ours().rounded(10);
      Answer theirs = found.theirs().rounded(10);
      if (bare(found.query()) instanceof Expr.Aggregate aggregate && isChoice(aggregate)) {
        Answer all = again.same(Printer.print(aggregate.expr()));
        return ours.isAsGoodAChoice(theirs, all.rounded(10));
      }
      return theirs.liesAmong(
          join(ours, again.inOtherOrders().stream().map(answer -> answer.rounded(10)).toList()));
    }
  },
  MANY_NOTES(
      "more than ten warnings: Prometheus shows any ten and counts the others, Varve shows the"
          + " first ten") {
    @Override
    boolean explains(Found found, Again again) {
      TreeSet<String> told = found.theirs().withoutPlaces().notes();
      if (told.stream().noneMatch(Answer::isOmission) || !found.sameButNotes()) {
        return false;
      }
      List<Answer> others = new ArrayList<>(again.atEachStep(Printer.print(found.query())));
      others.addAll(again.inOtherOrders());
      return found.theirs().tellsAmong(join(found.ours(), others));
    }
  },
  LAST_DIGITS_IN_TEXTS(
      "numbers in texts, by `count_values` or in a warning: the last of 17 digits may differ,"
          + " because Go and Java compute powers, sines and sums differently") {
    @Override
    boolean explains(Found found, Again again) {
      return has(found.query(), KnownDifference::isRounded)
          && has(found.query(), KnownDifference::writesNumbers)
          && (isSameInFewDigits(found.ours(), found.theirs())
              || (has(found.query(), KnownDifference::isSum)
                  && isSameInFewDigits(again.asStored(), found.theirs())));
    }
  },
  LAST_DIGITS(
      "results that depend on the last of 17 digits of a power, a sine and the like, such as"
          + " the sine of a large power: Go and Java compute these differently") {
    @Override
    boolean explains(Found found, Again again) {
      if (!has(found.query(), KnownDifference::isRounded)) {
        return false;
      }
      Expr asGo = ChangedQuery.part(ChangedQuery.of(found.query(), KnownDifference::asGo));
      List<Answer> others = new ArrayList<>();
      for (double seed = 1e8; seed < 1e16; seed *= 1.25) {
        double from = seed;
        others.add(again.same(ChangedQuery.of(found.query(), part -> withOtherDigit(part, from))));
        others.add(again.same(ChangedQuery.of(asGo, part -> withOtherDigit(part, from))));
      }
      return found.theirs().liesAmong(join(found.ours(), others));
    }
  },
  PLACES(
      "the position in a note: Prometheus shows one of several notes that differ only in"
          + " position; for a counter in a subquery it has lost the position and reports 1:1;"
          + " for an argument in parentheses it reports the position either of the parentheses"
          + " or, as Varve does, of their content") {
    @Override
    boolean explains(Found found, Again again) {
      return found.is(found.ours());
    }
  },
  WHICH_ERROR(
      "which of several errors is reported, and which of several duplicate series it names:"
          + " Prometheus reports its first error at the first step, Varve the first that it"
          + " finds") {
    @Override
    boolean explains(Found found, Again again) {
      return isErrorOf(found.query(), found.ours(), again)
          && isErrorOf(found.query(), found.theirs(), again);
    }
  },
  PINNED_TIMESTAMP(
      "`timestamp(x @ TIME offset LENGTH)`: Prometheus ignores the offset, and looks for the"
          + " newest sample at TIME among those read for another time") {
    @Override
    boolean explains(Found found, Again again) {
      return found.isOf(KnownDifference::timestampAmongOthers, again);
    }
  },
  PINNED_IN_SUBQUERY(
      "`(x @ TIME)[5m:1m] offset LENGTH` where the first step of the subquery is the time of"
          + " the query: Prometheus adds the offset to the time, and finds nothing among the"
          + " samples it has read") {
    @Override
    boolean explains(Found found, Again again) {
      return found.isOf(KnownDifference::withoutPinned, again);
    }
  },
  PINNED_IN_PARAMETER(
      "`quantile(scalar(x @ TIME), y)`: in the parameter of an aggregation, Prometheus advances"
          + " from TIME with each step, among samples read for TIME alone, and soon finds none") {
    @Override
    boolean explains(Found found, Again again) {
      String without = ChangedQuery.of(found.query(), KnownDifference::withoutPinnedParameter);
      return !without.equals(Printer.print(found.query()))
          && found.theirs().isMadeOf(List.of(found.ours(), again.same(without)));
    }
  },
  STEPS_BETWEEN(
      "errors and warnings of steps of a subquery that no step of the query uses: Prometheus"
          + " evaluates these too, up to the end of the query") {
    @Override
    boolean explains(Found found, Again again) {
      if (!has(found.query(), part -> part instanceof Expr.Subquery)) {
        return false;
      }
      Answer finer = again.atEveryMinute(Printer.print(found.query()));
      return found.theirs().isError()
          ? finer.isError() && isErrorOf(found.query(), found.theirs(), again)
          : found.sameButNotes()
              && found.theirs().tellsAmong(List.of(found.ours(), finer))
              && found.theirs().tellsAll(found.ours());
    }
  },
  LABELS_OF_ABSENT(
      "labels of `absent(x{a!=\"b\",a=\"c\"})`: where Prometheus has searched for series, it"
          + " has moved excluding matchers after including ones, and then omits the label") {
    @Override
    boolean explains(Found found, Again again) {
      return found.isOf(KnownDifference::absentAsLookedFor, again);
    }
  },
  PARAMETER_OF_CONSTANTS(
      "the parameter of an aggregation over an expression that is the same at all times:"
          + " Prometheus evaluates it for the first time only, and warns only about that") {
    @Override
    boolean explains(Found found, Again again) {
      // In a subquery the first time is that of its own steps, which is only visible in warnings.
      return found.isOf(KnownDifference::withFirstParameter, again)
          || (has(found.query(), part -> !withFirstParameter(part).equals(part))
              && has(found.query(), part -> part instanceof Expr.Subquery)
              && found.sameButNotes()
              && found.theirs().notesOfDifference(found.ours()).stream()
                  .allMatch(note -> note.startsWith(OF_QUANTILES)));
    }
  },
  FUNCTIONS_AT_THEIR_ENDS(
      "logarithms of numbers below 2^-1022: only Go on amd64 ignores that their first bit is a"
          + " zero, and computes the logarithm of a number from 2^-1023 on, also for powers;"
          + " `sinh` and `cosh` from 709.8 to 710.4, which Go considers infinite") {
    @Override
    boolean explains(Found found, Again again) {
      return found.isOf(KnownDifference::asGo, again);
    }
  },
  FORGOTTEN_NAMES(
      "the metric in the info that `histogram_quantile` has fixed buckets: Prometheus has lost"
          + " it after the first step at which a histogram has buckets, Varve names it") {
    @Override
    boolean explains(Found found, Again again) {
      return has(found.query(), KnownDifference::isOfHistograms)
          && (again.steps() > 1 || has(found.query(), part -> part instanceof Expr.Subquery))
          && found
                  .ours()
                  .withoutNamesOfMended()
                  .difference(found.theirs().withoutNamesOfMended(), found.ordered())
              == null;
    }
  };

  /**
   * A difference.
   *
   * @param query as parsed from its own text
   * @param ours Varve's answer
   * @param theirs the answer of Prometheus
   * @param ordered whether the order of the result matters
   */
  record Found(Expr query, Answer ours, Answer theirs, boolean ordered) {
    /** Returns whether an explanation is possible: no rule covers the order or positions. */
    private boolean mayBeKnown() {
      boolean descending = ordered && isSortedDown(query);
      return (!ordered || (ours.isSorted(descending) && theirs.isSorted(descending)))
          && new NotePlaces(query).explain(ours.rounded(9).notes(), theirs.rounded(9).notes());
    }

    /** Returns whether an answer equals theirs, regardless of positions in notes. */
    private boolean is(Answer other) {
      return other.withoutPlaces().difference(theirs.withoutPlaces(), ordered) == null;
    }

    private boolean sameButNotes() {
      return ours.withNotes(theirs.notes()).difference(theirs, ordered) == null;
    }

    /**
     * Returns whether a changed query yields the answer of Prometheus here, regardless of positions
     * and last digits.
     */
    private boolean isOf(UnaryOperator<Expr> change, Again again) {
      String changed = ChangedQuery.of(query, change);
      return !changed.equals(Printer.print(query))
          && isSameInFewDigits(again.same(changed), theirs);
    }
  }

  /** Runs a query in Varve again, for the original times unless stated otherwise. */
  interface Again {
    /** Runs a query for all times. */
    Answer all(String query);

    Answer same(String query);

    /** Runs the query with series in the order of Prometheus' storage. */
    Answer asStored();

    /**
     * Runs a query every minute from the first step to the end; for its single time if it is an
     * instant query.
     */
    Answer atEveryMinute(String query);

    /** Returns the number of steps of the query. */
    long steps();

    /** Runs a query for each step separately. */
    List<Answer> atEachStep(String query);

    /** Runs the query with series in several other orders. */
    List<Answer> inOtherOrders();
  }

  private static final String OF_QUANTILES =
      "PromQL warning: quantile value should be between 0 and 1, got ";

  private static final Set<AggregateOperator> SUMS =
      EnumSet.of(
          AggregateOperator.SUM,
          AggregateOperator.AVG,
          AggregateOperator.STDDEV,
          AggregateOperator.STDVAR);

  /** Functions that are neither exact nor correctly rounded in every library. */
  private static final Set<String> ROUNDED =
      Set.of(
          "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "ln", "log10",
          "log2", "sin", "sinh", "tan", "tanh");

  /** The logarithms, and their values for 2^-1023. */
  private static final Map<String, Double> LOGARITHMS =
      Map.of("ln", -1023 * Math.log(2), "log2", -1023.0, "log10", -1023 * Math.log10(2));

  /** Functions that depend on the time of the step. */
  private static final Set<String> OF_STEPS =
      Set.of(
          "time",
          "timestamp",
          "predict_linear",
          "days_in_month",
          "day_of_month",
          "day_of_week",
          "day_of_year",
          "hour",
          "minute",
          "month",
          "year");

  private final String reason;

  KnownDifference(String reason) {
    this.reason = reason;
  }

  String reason() {
    return reason;
  }

  abstract boolean explains(Found found, Again again);

  /** Returns what explains a difference; null if nothing does. */
  static @Nullable KnownDifference of(Found found, Again again) {
    if (!found.mayBeKnown()) {
      return null;
    }
    for (KnownDifference known : values()) {
      if (known.explains(found, again)) {
        return known;
      }
    }
    return null;
  }

  /**
   * Maximum length of a part whose last digit is changed, in characters. Each change triples the
   * text, so the outer parts of deep nestings are left unchanged.
   */
  private static final int CHANGED_MAX = 50_000;

  private static boolean isSum(Expr part) {
    return part instanceof Expr.Aggregate aggregate && SUMS.contains(aggregate.operator());
  }

  /**
   * Tries two precisions, because one of many numbers may lie on a rounding boundary. Rows that
   * differ only in further digits have no defined order; the order of the answers themselves has
   * been checked.
   */
  private static boolean isSameInFewDigits(Answer some, Answer others) {
    return IntStream.of(10, 9)
        .anyMatch(digits ->
            some.rounded(digits)
                    .withoutPlaces()
                    .difference(others.rounded(digits).withoutPlaces(), false)
                == null);
  }

  /** Returns whether an answer is an error of some part of a query, and names existing series. */
  private static boolean isErrorOf(Expr query, Answer answer, Again again) {
    return answer.isError()
        && (Twins.explain(query, answer, again)
            || has(
                query,
                part -> {
                  String alone = Printer.print(part);
                  return Stream.of(again.same(alone), again.atEveryMinute(alone))
                          .anyMatch(other -> other.isError() && other.text().equals(answer.text()))
                      || again.atEachStep(alone).stream()
                          .filter(Answer::isError)
                          .findFirst()
                          .filter(first -> first.text().equals(answer.text()))
                          .isPresent();
                }));
  }

  private static List<Answer> join(Answer first, List<Answer> more) {
    return Stream.concat(Stream.of(first), more.stream()).toList();
  }

  private static List<Answer> join(Answer first, Answer second, List<Answer> more) {
    return join(first, join(second, more));
  }

  /** Returns whether a query returns its elements sorted by value. */
  static boolean isSort(Expr query) {
    return bare(query) instanceof Expr.Call call
        && List.of("sort", "sort_desc").contains(call.function().text());
  }

  private static boolean isSortedDown(Expr query) {
    return bare(query) instanceof Expr.Call call && call.function().text().equals("sort_desc");
  }

  /** Returns whether a part writes numbers into labels or warnings. */
  private static boolean writesNumbers(Expr part) {
    return switch (part) {
      case Expr.Aggregate aggregate ->
          aggregate.operator() == AggregateOperator.COUNT_VALUES
              || aggregate.operator() == AggregateOperator.QUANTILE;
      case Expr.Call call -> call.function().text().contains("quantile");
      default -> false;
    };
  }

  private static boolean isOfHistograms(Expr part) {
    return part instanceof Expr.Call call && call.function().text().equals("histogram_quantile");
  }

  private static boolean isChoice(Expr.Aggregate aggregate) {
    return aggregate.operator() == AggregateOperator.TOPK
        || aggregate.operator() == AggregateOperator.BOTTOMK;
  }

  /** Returns whether part of a query selects among values that are ever equal. */
  private static boolean isTied(Expr part, Again again) {
    if (!(part instanceof Expr.Aggregate aggregate) || !isChoice(aggregate)) {
      return false;
    }
    String grouping =
        aggregate.labels().stream().map(Labels::quoted).collect(Collectors.joining(", "));
    String most =
        "max(count_values %s (%s) (\"the value\", %s)) > 1"
            .formatted(
                aggregate.without() ? "without" : "by", grouping, Printer.print(aggregate.expr()));
    return !again.same(most).isEmpty() || !again.all(most).isEmpty();
  }

  private static boolean isRounded(Expr part) {
    return switch (part) {
      case Expr.Call call -> ROUNDED.contains(call.function().text());
      case Expr.Binary binary ->
          binary.operator() == BinaryOperator.POWER || binary.operator() == BinaryOperator.ATAN2;
      default -> isSum(part);
    };
  }

  /**
   * Changes the last binary digit of a value.
   *
   * @param seed determines pseudo-randomly, for each part, whether the value becomes the next or
   *     the previous number
   */
  private static Expr withOtherDigit(Expr part, double seed) {
    if (!isRounded(part)) {
      return part;
    }
    String other =
        part.type() == ValueType.SCALAR
            ? "(%1$s) * (1 + %2$s)"
            : "(%1$s) * (1 + %2$s * sgn(sin((%1$s) %% 1000.7 * %3$s))) <= Inf or (%1$s)";
    String text = Printer.print(part);
    if (text.length() > CHANGED_MAX) {
      return part;
    }
    return ChangedQuery.part(other.formatted(text, 0x1p-52, seed * (1 + text.hashCode() * 1e-12)));
  }

  /**
   * The newest sample at a time without the offset, among those read for the look-back with it;
   * none if the offset is longer.
   */
  private static Expr timestampAmongOthers(Expr part) {
    if (!(part instanceof Expr.Call call)
        || !call.function().text().equals("timestamp")
        || !(bare(call.arguments().getFirst()) instanceof Expr.VectorSelector selector)
        || selector.modifiers().at() == null) {
      return part;
    }
    At at = selector.modifiers().at();
    Duration offset = selector.modifiers().offset();
    if (offset.abs().compareTo(PromSettings.DEFAULTS.lookback()) >= 0) {
      return ChangedQuery.part("vector(0) < -Inf");
    }
    Duration ahead = offset.isNegative() ? offset.negated() : Duration.ZERO;
    Expr newest =
        offset.isNegative()
            ? new Expr.VectorSelector(
                selector.name(),
                selector.matchers(),
                new Modifiers(Duration.ZERO, at),
                selector.source())
            : selector;
    String time =
        switch (at) {
          case At.Time(long millis) -> seconds(millis);
          case At.Edge edge ->
              "scalar(last_over_time(vector(time())[1ms:1ms] @ %s()))".formatted(edge.text());
        };
    return ChangedQuery.part(
        "timestamp(%s) > %s + %s - %s"
            .formatted(
                Printer.print(newest),
                time,
                seconds(ahead.toMillis()),
                seconds(PromSettings.DEFAULTS.lookback().toMillis())));
  }

  private static String seconds(long millis) {
    return "%d.%03d".formatted(millis / 1000, millis % 1000);
  }

  /** Removes series pinned to one time from a subquery with an offset. */
  private static Expr withoutPinned(Expr part) {
    if (!(part instanceof Expr.Subquery subquery) || subquery.modifiers().offset().isZero()) {
      return part;
    }
    return new Expr.Subquery(
        withNothingPinned(subquery.expr()),
        subquery.range(),
        subquery.step(),
        subquery.modifiers(),
        subquery.source());
  }

  private static Expr withoutPinnedParameter(Expr part) {
    return part instanceof Expr.Aggregate aggregate
            && aggregate.parameter() != null
            && aggregate.parameter().type() == ValueType.SCALAR
        ? new Expr.Aggregate(
            aggregate.operator(),
            withNothingPinned(aggregate.parameter()),
            aggregate.expr(),
            aggregate.labels(),
            aggregate.without(),
            aggregate.source())
        : part;
  }

  private static Expr withNothingPinned(Expr expr) {
    if (!has(expr, KnownDifference::isPinned)) {
      return expr;
    }
    return ChangedQuery.part(
        ChangedQuery.of(
            expr, part -> isPinned(part) ? ChangedQuery.part("vector(0) < -Inf") : part));
  }

  private static boolean isPinned(Expr part) {
    return part instanceof Expr.VectorSelector selector && selector.modifiers().at() != null;
  }

  /** Replaces values that a label must equal by patterns, if other values are excluded. */
  private static Expr absentAsLookedFor(Expr part) {
    if (!(part instanceof Expr.Call call) || !call.function().text().startsWith("absent")) {
      return part;
    }
    Expr looked =
        switch (call.arguments().getFirst()) {
          case Expr.VectorSelector selector -> withPatterns(selector);
          case Expr.MatrixSelector matrix ->
              new Expr.MatrixSelector(
                  withPatterns(matrix.selector()), matrix.range(), matrix.source());
          default -> call.arguments().getFirst();
        };
    return new Expr.Call(call.function(), List.of(looked), call.source());
  }

  private static Expr.VectorSelector withPatterns(Expr.VectorSelector selector) {
    Set<String> excluded =
        selector.matchers().stream()
            .filter(KnownDifference::excludes)
            .map(LabelMatcher::name)
            .collect(Collectors.toSet());
    List<LabelMatcher> matchers =
        selector.matchers().stream()
            .map(matcher ->
                matcher.operator() == LabelMatcher.Operator.EQUAL
                        && excluded.contains(matcher.name())
                    ? new LabelMatcher(
                        matcher.name(), LabelMatcher.Operator.MATCH, Pattern.quote(matcher.value()))
                    : matcher)
            .toList();
    return new Expr.VectorSelector(
        selector.name(), matchers, selector.modifiers(), selector.source());
  }

  private static boolean excludes(LabelMatcher matcher) {
    return matcher.operator() == LabelMatcher.Operator.NOT_EQUAL
        || matcher.operator() == LabelMatcher.Operator.NO_MATCH;
  }

  /** Fixes the parameter at the first time of the whole query if everything else is constant. */
  private static Expr withFirstParameter(Expr part) {
    if (!(part instanceof Expr.Aggregate aggregate)
        || aggregate.parameter() == null
        || aggregate.parameter().type() != ValueType.SCALAR
        || !isConstant(aggregate.expr())) {
      return part;
    }
    Expr first =
        ChangedQuery.part(
            "scalar(last_over_time(vector(%s)[1ms:1ms] @ start()))"
                .formatted(Printer.print(aggregate.parameter())));
    return new Expr.Aggregate(
        aggregate.operator(),
        first,
        aggregate.expr(),
        aggregate.labels(),
        aggregate.without(),
        aggregate.source());
  }

  /** Returns whether Prometheus considers an expression the same at all times of a query. */
  private static boolean isConstant(Expr expr) {
    return switch (expr) {
      case Expr.NumberLiteral number -> true;
      case Expr.StringLiteral string -> true;
      case Expr.VectorSelector selector -> selector.modifiers().at() != null;
      case Expr.MatrixSelector matrix -> matrix.selector().modifiers().at() != null;
      case Expr.Subquery subquery -> subquery.modifiers().at() != null;
      case Expr.Paren paren -> isConstant(paren.expr());
      case Expr.Unary unary -> isConstant(unary.expr());
      case Expr.Binary binary -> isConstant(binary.left()) && isConstant(binary.right());
      case Expr.Aggregate aggregate -> isConstant(aggregate.expr());
      case Expr.Call call ->
          !OF_STEPS.contains(call.function().text())
              && call.arguments().stream().allMatch(KnownDifference::isConstant);
    };
  }

  /**
   * Computes a call as Go does, for which the least numbers, m 2^-1074, are 2^-1023 (1 + m 2^-52).
   */
  private static Expr asGo(Expr part) {
    if (part instanceof Expr.Binary binary && binary.operator() == BinaryOperator.POWER) {
      return powerAsGo(binary);
    }
    if (!(part instanceof Expr.Call call) || call.arguments().isEmpty()) {
      return part;
    }
    String name = call.function().text();
    String of = Printer.print(call.arguments().getFirst());
    String itself = Printer.print(call);
    return switch (name) {
      case "ln", "log2", "log10" ->
          ChangedQuery.part(
              "%s(((%s) > 0 < %s) * %s + 1) + %s or %s"
                  .formatted(name, of, Double.MIN_NORMAL, 0x1p1022, LOGARITHMS.get(name), itself));
      case "sinh" ->
          ChangedQuery.part("(exp(abs(%1$s)) == Inf) * sgn(%1$s) or %2$s".formatted(of, itself));
      case "cosh" -> ChangedQuery.part("exp(abs(%s)) == Inf or %s".formatted(of, itself));
      default -> part;
    };
  }

  /**
   * Computes a power x ^ y as Go does: it multiplies integer powers by e^(f ln x), with the
   * remainder f of y from -0.5 to 0.5.
   */
  private static Expr powerAsGo(Expr.Binary power) {
    if (power.type() != ValueType.VECTOR) {
      return power;
    }
    Expr base =
        power.left().type() == ValueType.SCALAR
            ? ChangedQuery.part("vector(%s)".formatted(Printer.print(power.left())))
            : power.left();
    String of = Printer.print(base);
    String y = Printer.print(power.right());
    Expr wrong =
        ChangedQuery.part(
            "%s - ln((%s) > 0)".formatted(Printer.print(asGo(PromQl.parse("ln(" + of + ")"))), of));
    String rounded =
        power.right().type() == ValueType.SCALAR
            ? "scalar((vector(%1$s)) - sgn(vector(%1$s)) * ceil(abs(vector(%1$s)) - 0.5))"
            : "(%1$s) - sgn(%1$s) * ceil(abs(%1$s) - 0.5)";
    Expr rest = ChangedQuery.part(rounded.formatted(y));
    boolean scalarBase = power.left().type() == ValueType.SCALAR;
    Expr product =
        new Expr.Binary(
            BinaryOperator.MULTIPLY,
            scalarBase ? ChangedQuery.part("scalar(%s)".formatted(Printer.print(wrong))) : wrong,
            rest,
            false,
            power.matching(),
            power.operatorSource(),
            ValueType.VECTOR);
    return ChangedQuery.part(
        "(%1$s) * exp(%2$s) or (%1$s)".formatted(Printer.print(power), Printer.print(product)));
  }

  private static Expr bare(Expr expr) {
    return expr instanceof Expr.Paren paren ? bare(paren.expr()) : expr;
  }

  private static boolean has(Expr query, Predicate<Expr> wanted) {
    return QueryUses.parts(query).anyMatch(wanted);
  }
}
