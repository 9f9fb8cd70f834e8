package dev.varve.server.opentsdb.expression;

import dev.varve.query.running.QueryUse;
import dev.varve.server.opentsdb.query.Group;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import dev.varve.server.opentsdb.query.PointSink;
import dev.varve.server.opentsdb.query.Points;
import dev.varve.server.opentsdb.query.SubQuery;
import dev.varve.server.opentsdb.query.TagOrder;
import dev.varve.server.opentsdb.query.TsQuery;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;

/** The functions of {@code /api/query/gexp}. */
public final class Functions {
  private static final Set<String> NAMES =
      Set.of(
          "alias",
          "scale",
          "absolute",
          "movingAverage",
          "highestCurrent",
          "highestMax",
          "shift",
          "timeShift",
          "divide",
          "divideSeries",
          "sum",
          "sumSeries",
          "difference",
          "diffSeries",
          "multiply",
          "multiplySeries");

  private static final Pattern WHOLE = Pattern.compile("[0-9]+");
  private static final Pattern FACTOR = Pattern.compile("[-0-9.]+");

  private final TsQuery.Checked query;
  private final List<List<Group>> results;
  private final QueryUse use;

  private Functions(TsQuery.Checked query, List<List<Group>> results, QueryUse use) {
    this.query = query;
    this.results = results;
    this.use = use;
  }

  /** Expressions that were parsed. */
  public static final class Parsed {
    private final List<Call> calls = new ArrayList<>();
    private final List<SubQuery> queries = new ArrayList<>();

    private Parsed() {}

    /** Returns the queries of all expressions, in the order in which they appear. */
    public List<SubQuery> queries() {
      return List.copyOf(queries);
    }
  }

  /**
   * Parses expressions.
   *
   * @throws OpenTsdbError 500, as in OpenTSDB, if one is malformed or has an unknown function
   */
  public static Parsed parse(List<String> expressions) {
    Parsed parsed = new Parsed();
    for (String expression : expressions) {
      Call call = CallParser.parse(expression, parsed.queries);
      requireKnown(call);
      parsed.calls.add(call);
    }
    return parsed;
  }

  static void requireKnown(String function) {
    if (!NAMES.contains(function)) {
      throw new OpenTsdbError(500, "Function %s has not been implemented".formatted(function));
    }
  }

  private static void requireKnown(Call call) {
    requireKnown(call.function());
    for (Call.Input input : call.inputs()) {
      if (input instanceof Call.Nested nested) {
        requireKnown(nested.call());
      }
    }
  }

  /**
   * Computes expressions.
   *
   * @param results the results of the queries, in the order of {@link Parsed#queries}
   * @throws OpenTsdbError 400 if an argument is invalid
   */
  public static List<Group> compute(
      Parsed parsed, TsQuery.Checked query, List<List<Group>> results, QueryUse use) {
    Functions functions = new Functions(query, results, use);
    List<Group> all = new ArrayList<>();
    try {
      parsed.calls.forEach(call -> all.addAll(functions.call(call)));
      return all;
    } catch (IllegalArgumentException e) {
      throw OpenTsdbError.amid(String.valueOf(e.getMessage()));
    }
  }

  private List<Group> call(Call call) {
    List<List<Group>> inputs = new ArrayList<>();
    for (Call.Input input : call.inputs()) {
      inputs.add(
          switch (input) {
            case Call.Nested nested -> call(nested.call());
            case Call.OfQuery of -> results.get(of.index());
          });
    }
    if (inputs.isEmpty()) {
      return List.of();
    }
    List<Group> all = inputs.stream().flatMap(List::stream).toList();
    List<String> parameters = call.parameters();
    return switch (call.function()) {
      case "alias" -> alias(all, parameters);
      case "scale" -> scale(all, parameters);
      case "absolute" -> all.stream().map(Functions::absolute).toList();
      case "movingAverage" -> movingAverage(all, parameters);
      case "highestCurrent" -> highest(all, parameters, this::latest);
      case "highestMax" -> highest(all, parameters, this::largest);
      case "shift", "timeShift" -> shift(inputs.getFirst(), parameters);
      case "divide", "divideSeries" -> combined(inputs, Formula.Operator.DIVIDE);
      case "sum", "sumSeries" -> combined(inputs, Formula.Operator.ADD);
      case "difference", "diffSeries" -> combined(inputs, Formula.Operator.SUBTRACT);
      default -> combined(inputs, Formula.Operator.MULTIPLY);
    };
  }

  private static String first(List<String> parameters, String ifMissing) {
    if (parameters.isEmpty()) {
      throw new IllegalArgumentException(ifMissing);
    }
    return parameters.getFirst();
  }

  /** Passes on points with absolute values. */
  private record Absolute(PointSink to) implements PointSink {
    @Override
    public void whole(long time, long value) {
      to.whole(time, Math.abs(value));
    }

    @Override
    public void real(long time, double value) {
      to.real(time, Math.abs(value));
    }
  }

  private static Group absolute(Group group) {
    return group.with(sink -> group.points().accept(new Absolute(sink)));
  }

  /** Renames results. Their values become absolute, as in OpenTSDB. */
  private static List<Group> alias(List<Group> groups, List<String> parameters) {
    first(parameters, "Missing the alias");
    String template = String.join(",", parameters);
    List<Group> renamed = new ArrayList<>();
    for (Group group : groups) {
      String name = template;
      for (Map.Entry<String, String> tag : group.tags().entrySet()) {
        name = name.replace("@" + tag.getKey(), tag.getValue());
      }
      renamed.add(absolute(group).renamed(name));
    }
    return renamed;
  }

  private static List<Group> scale(List<Group> groups, List<String> parameters) {
    String text = first(parameters, "Missing scaling factor");
    if (!FACTOR.matcher(text).matches()) {
      // OpenTSDB shows the factor that it has not read yet.
      throw new IllegalArgumentException("Unparseable scale factor value: 0.0");
    }
    double factor;
    try {
      factor = Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "Invalid parameter, must be an integer or floating point", e);
    }
    return groups.stream()
        .map(group -> group.with(sink -> group.points().accept(new Scaled(factor, sink))))
        .toList();
  }

  /** Passes on points times a factor. Integers stay integers if the factor is one. */
  private record Scaled(double factor, PointSink to) implements PointSink {
    @Override
    public void whole(long time, long value) {
      if (factor == Math.rint(factor)) {
        to.whole(time, ((long) factor) * value);
      } else {
        to.real(time, factor * value);
      }
    }

    @Override
    public void real(long time, double value) {
      to.real(time, factor * value);
    }
  }

  private List<Group> movingAverage(List<Group> groups, List<String> parameters) {
    String text = first(parameters, "Missing moving average window size");
    MovingAverage.Window window = MovingAverage.Window.parse(text);
    return groups.stream()
        .map(group ->
            group.with(sink ->
                new MovingAverage(window, query.start(), query.end(), use)
                    .run(group.collect(use), sink)))
        .toList();
  }

  private List<Group> highest(
      List<Group> groups, List<String> parameters, ToDoubleFunction<Points> score) {
    String text = first(parameters, "Need aggregation window for moving average");
    if (!WHOLE.matcher(text).matches()) {
      throw new IllegalArgumentException("Unparseable top n value: " + text);
    }
    int count;
    try {
      count = Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("Invalid parameter, must be an integer", e);
    }
    if (count < 1) {
      throw new IllegalArgumentException("Top n value must be greater than zero: " + count);
    }
    record Scored(Group group, double score) {}
    List<Scored> scored = new ArrayList<>();
    groups.forEach(group -> scored.add(new Scored(group, score.applyAsDouble(group.collect(use)))));
    scored.sort(Comparator.comparingDouble(Scored::score).reversed());
    return scored.stream().limit(count).map(Scored::group).toList();
  }

  private double latest(Points points) {
    for (int i = points.size() - 1; i >= 0; i--) {
      if (isAsked(points.time(i))) {
        return points.number(i);
      }
    }
    return Double.NEGATIVE_INFINITY;
  }

  private double largest(Points points) {
    double largest = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < points.size(); i++) {
      if (isAsked(points.time(i)) && points.number(i) > largest) {
        largest = points.number(i);
      }
    }
    return largest;
  }

  private boolean isAsked(long time) {
    return time >= query.start() && time <= query.end();
  }

  private static List<Group> shift(List<Group> groups, List<String> parameters) {
    String text = first(parameters, "Need amount of timeshift to perform timeshift");
    long by = Quoted.shift(text);
    return groups.stream()
        .map(group -> group.with(sink -> group.points().accept(new Shifted(by, sink))))
        .toList();
  }

  /** Passes on points at later times. */
  private record Shifted(long by, PointSink to) implements PointSink {
    @Override
    public void whole(long time, long value) {
      to.whole(time + by, value);
    }

    @Override
    public void real(long time, double value) {
      to.real(time + by, value);
    }
  }

  /**
   * Combines the inputs' results that have the same tags, point by point in their order, as
   * OpenTSDB does, whatever the times. A result without a counterpart is combined with zero.
   */
  private List<Group> combined(List<List<Group>> inputs, Formula.Operator operator) {
    if (inputs.size() < 2 || inputs.size() > 26) {
      throw new IllegalArgumentException(
          "Must have 2 to 26 series, got %d instead".formatted(inputs.size()));
    }
    Map<SortedMap<String, String>, Group[]> byTags = new TreeMap<>(TagOrder.TAGS);
    for (int i = 0; i < inputs.size(); i++) {
      for (Group group : inputs.get(i)) {
        byTags.computeIfAbsent(group.tags(), none -> new Group[inputs.size()])[i] = group;
      }
    }
    List<Group> results = new ArrayList<>();
    byTags.values().forEach(groups -> results.add(combined(groups, operator)));
    return results;
  }

  private Group combined(Group[] groups, Formula.Operator operator) {
    Group any = null;
    TreeSet<String> aggregated = new TreeSet<>(TagOrder.NAMES);
    List<Points> columns = new ArrayList<>();
    int size = -1;
    for (Group group : groups) {
      if (group == null) {
        columns.add(new Points(use.memory()));
        continue;
      }
      any = any == null ? group : any;
      aggregated.addAll(group.aggregateTags());
      Points points = group.collect(use);
      columns.add(points);
      if (size >= 0 && points.size() != size) {
        throw new IllegalArgumentException("No more elements");
      }
      size = points.size();
    }
    if (any == null) {
      throw new IllegalStateException("no input has these tags");
    }
    Points result = new Points(use.memory());
    for (int i = 0; i < size; i++) {
      combine(columns, i, operator, result);
    }
    // OpenTSDB shows the tags of the first input, even if that has no such result.
    return any.computed(
        groups[0] == null ? new TreeMap<>(TagOrder.NAMES) : groups[0].tags(),
        aggregated,
        sink -> {
          for (int i = 0; i < result.size(); i++) {
            result.pass(i, sink);
          }
        });
  }

  private static void combine(
      List<Points> columns, int index, Formula.Operator operator, Points into) {
    long time = Long.MAX_VALUE;
    double value = 0;
    for (int i = 0; i < columns.size(); i++) {
      Points points = columns.get(i);
      boolean missing = points.size() == 0;
      double operand = missing ? 0 : zeroForNaN(points.number(index));
      time = missing ? time : Math.min(time, points.time(index));
      value =
          i == 0
              ? operand
              : switch (operator) {
                case ADD -> value + operand;
                case SUBTRACT -> value - operand;
                case DIVIDE -> operand == 0 ? 0 : value / operand;
                default -> value * operand;
              };
    }
    into.real(time, value);
  }

  /** The fill of an input is zero, which also stands for NaN. */
  private static double zeroForNaN(double value) {
    return Double.isNaN(value) ? 0 : value;
  }
}
