package dev.varve.server.opentsdb.expression;

import dev.varve.query.running.QueryUse;
import dev.varve.server.opentsdb.aggregator.Aggregator;
import dev.varve.server.opentsdb.expression.Request.Downsampler;
import dev.varve.server.opentsdb.expression.Request.Expression;
import dev.varve.server.opentsdb.expression.Request.Metric;
import dev.varve.server.opentsdb.expression.Request.NamedFilter;
import dev.varve.server.opentsdb.expression.Variables.Column;
import dev.varve.server.opentsdb.query.Group;
import dev.varve.server.opentsdb.query.JsonBody;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import dev.varve.server.opentsdb.query.QueryTime;
import dev.varve.server.opentsdb.query.SubQuery;
import dev.varve.server.opentsdb.query.TsQuery;
import dev.varve.server.opentsdb.query.ValueFilter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** A request to {@code /api/query/exp}: formulas of the results of queries. */
public final class Expressions {
  private final Request request;
  private final Map<String, Formula> formulas = new LinkedHashMap<>();

  private Expressions(Request request) {
    this.request = request;
  }

  /**
   * Reads a request, and checks it in OpenTSDB's order.
   *
   * @param now the current time in milliseconds since 1970
   * @throws OpenTsdbError 500, as in OpenTSDB, if it contradicts itself; 400 if it is malformed
   */
  public static Expressions read(JsonBody body, long now) {
    Expressions expressions = new Expressions(RequestReader.read(body));
    try {
      expressions.check(now);
      return expressions;
    } catch (IllegalArgumentException e) {
      throw new OpenTsdbError(500, String.valueOf(e.getMessage()));
    }
  }

  /** Returns the formulas as received. */
  public List<String> texts() {
    return request.expressions().stream().map(one -> String.valueOf(one.formula())).toList();
  }

  private void check(long now) {
    if (!isValid(request.time(), now)) {
      throw new IllegalArgumentException("Invalid time");
    }
    if (request.metrics().isEmpty()) {
      throw new IllegalArgumentException("missing or empty metrics");
    }
    Set<String> ids = new HashSet<>();
    for (Metric metric : request.metrics()) {
      if (!ids.add(metric.id())) {
        throw new IllegalArgumentException("duplicated metric id: " + metric.id());
      }
    }
    Set<String> filters = new HashSet<>();
    for (NamedFilter filter : request.filters()) {
      if (!filters.add(filter.id())) {
        throw new IllegalArgumentException("duplicated filter id: " + filter.id());
      }
    }
    for (Expression expression : request.expressions()) {
      if (!ids.add(expression.id())) {
        throw new IllegalArgumentException(
            "Duplicated variable or expression id: " + expression.id());
      }
    }
    checkMetrics(filters);
    checkExpressions(ids);
  }

  private static boolean isValid(Request.Span time, long now) {
    try {
      String start = time.start();
      String end = time.end();
      if (start == null || start.isEmpty() || !isAggregator(time.aggregator())) {
        return false;
      }
      QueryTime.parse(start, time.timezone(), now);
      if (end != null && !end.isEmpty()) {
        QueryTime.parse(end, time.timezone(), now);
      }
      Downsampler spec = time.downsampler();
      if (spec != null) {
        QueryTime.duration(String.valueOf(spec.interval()));
        return isAggregator(spec.aggregator());
      }
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean isAggregator(@Nullable String name) {
    return name != null && Aggregator.of(name) != null;
  }

  private void checkMetrics(Set<String> filters) {
    for (int i = 0; i < request.metrics().size(); i++) {
      Metric metric = request.metrics().get(i);
      String aggregator = metric.aggregator();
      if (isMissing(metric.metric())
          || isMissing(metric.id())
          || (aggregator != null && !isAggregator(aggregator))) {
        throw new IllegalArgumentException("Invalid metric at index " + i);
      }
      String filter = metric.filter();
      if (filter != null && !filter.isEmpty() && !filters.contains(filter)) {
        throw new IllegalArgumentException(
            "unrecognized filter id %s in metric %s".formatted(filter, metric.id()));
      }
    }
  }

  private void checkExpressions(Set<String> ids) {
    for (int i = 0; i < request.expressions().size(); i++) {
      Expression expression = request.expressions().get(i);
      String id = expression.id();
      String text = expression.formula();
      if (id == null || id.isEmpty() || text == null || text.isEmpty()) {
        throw new IllegalArgumentException("Invalid expression at index " + i);
      }
      Formula formula;
      try {
        formula = FormulaParser.parse(text);
      } catch (IllegalArgumentException e) {
        throw new OpenTsdbError(
            400, "Invalid expression at index " + i, String.valueOf(e.getMessage()));
      }
      for (String name : formula.variables()) {
        if (!ids.contains(name)) {
          throw new IllegalArgumentException(
              "Expression [%s] was missing input %s".formatted(text, name));
        }
      }
      if (formula.variables().isEmpty()) {
        throw new IllegalArgumentException("The expression didn't appear to have any variables");
      }
      formulas.put(id, formula);
    }
  }

  private static boolean isMissing(@Nullable String text) {
    return text == null || text.isEmpty();
  }

  /** Returns the query of all metrics, in their order. */
  public TsQuery query() {
    Request.Span time = request.time();
    Downsampler spec = time.downsampler();
    String downsample = spec == null ? null : spec.interval() + "-" + spec.aggregator();
    List<SubQuery> subs = new ArrayList<>();
    for (Metric metric : request.metrics()) {
      NamedFilter filter = filter(metric);
      String own = metric.aggregator();
      subs.add(
          SubQuery.of(
              String.valueOf(own == null ? time.aggregator() : own),
              String.valueOf(metric.metric()),
              filter == null ? List.of() : filter.tags(),
              filter != null && filter.explicitTags(),
              time.rate(),
              downsample));
    }
    return new TsQuery(
        time.start(), time.end(), time.timezone(), false, subs, TsQuery.Options.NONE);
  }

  private @Nullable NamedFilter filter(Metric metric) {
    return request.filters().stream()
        .filter(filter -> filter.id() != null && filter.id().equals(metric.filter()))
        .findFirst()
        .orElse(null);
  }

  /**
   * Computes and writes the answer.
   *
   * @param results the results of the metrics, in their order
   * @throws OpenTsdbError 400 if a formula cannot be computed
   */
  public void answer(
      TsQuery.Checked query, List<List<Group>> results, QueryUse use, JsonGenerator json) {
    Map<String, Variables> known = new HashMap<>();
    for (int i = 0; i < results.size(); i++) {
      Metric metric = request.metrics().get(i);
      List<Column> series =
          results.get(i).stream()
              .map(group -> Column.of(group, use))
              .filter(column -> column.points().size() > 0)
              .toList();
      NamedFilter filter = filter(metric);
      Set<String> tags =
          filter == null
              ? Set.of()
              : filter.tags().stream().map(ValueFilter::tagk).collect(Collectors.toSet());
      double fill = metric.fill() == null ? 0 : metric.fill().value();
      known.put(String.valueOf(metric.id()), new Variables(series, fill, tags));
    }
    try {
      for (Expression expression : request.expressions()) {
        compute(String.valueOf(expression.id()), known, new LinkedHashSet<>(), use);
      }
    } catch (IllegalArgumentException e) {
      throw OpenTsdbError.amid(String.valueOf(e.getMessage()));
    }
    new ExpressionAnswer(json, request, query, use).write(known);
  }

  /** Computes an expression after those that it uses. */
  private Variables compute(
      String id, Map<String, Variables> known, Set<String> pending, QueryUse use) {
    Variables there = known.get(id);
    if (there != null) {
      return there;
    }
    Formula formula = formulas.get(id);
    if (formula == null) {
      throw new IllegalArgumentException("Missing results for variable " + id);
    }
    if (!pending.add(id)) {
      throw new IllegalArgumentException(
          pending.size() == 1
              ? "Self referencing expression found: " + id
              : "Circular reference found: " + id);
    }
    List<String> names = List.copyOf(formula.variables());
    List<Variables> variables = new ArrayList<>();
    names.forEach(name -> variables.add(compute(name, known, pending, use)));
    pending.remove(id);
    Expression expression =
        request.expressions().stream().filter(one -> id.equals(one.id())).findFirst().orElseThrow();
    List<Column> series = new Joined(formula, names, variables, expression.join(), use).compute();
    double fill = expression.fill() == null ? Double.NaN : expression.fill().value();
    Set<String> tags =
        variables.stream().flatMap(one -> one.queryTags().stream()).collect(Collectors.toSet());
    Variables computed = new Variables(series, fill, tags);
    known.put(id, computed);
    return computed;
  }
}
