package dev.varve.server.heroic.query;

import dev.varve.server.heroic.aggregation.Aggregation;
import dev.varve.server.heroic.aggregation.Fold;
import dev.varve.server.heroic.aggregation.Rule;
import dev.varve.server.heroic.language.Expression;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Aggregations as functions of the language. For one call. */
final class AggregationCall {
  private final Expression.Call call;
  private final Deque<Expression> arguments;
  private final Map<String, Expression> keywords;

  private AggregationCall(Expression.Call call) {
    this.call = call;
    this.arguments = new ArrayDeque<>(call.arguments());
    this.keywords = new LinkedHashMap<>(call.keywords());
  }

  /** Reads an aggregation. */
  static Aggregation read(Expression.Call call) {
    AggregationCall one = new AggregationCall(call);
    Aggregation aggregation = one.aggregation();
    one.expectNoMore();
    return aggregation;
  }

  private Aggregation aggregation() {
    Fold.Basic basic = AggregationNames.basic(call.name());
    if (basic != null) {
      return new Aggregation.Sampled(basic, span("size"), span("extent"));
    }
    return switch (call.name()) {
      case "quantile" -> {
        Long size = span("size");
        Long extent = span("extent");
        Expression q = next("q");
        Expression error = next("error");
        yield new Aggregation.Sampled(
            AggregationNames.quantile(
                q == null ? null : q.real(), error == null ? null : error.real()),
            size,
            extent);
      }
      case "cardinality" -> {
        Long size = span("size");
        Long extent = span("extent");
        yield new Aggregation.Sampled(cardinality(next("method")), size, extent);
      }
      case "empty" -> new Aggregation.Empty();
      case "delta" -> new Aggregation.Mapped(new Rule.Delta(false));
      case "deltaPerSecond" -> new Aggregation.Mapped(new Rule.Delta(true));
      case "notNegative" -> new Aggregation.Mapped(new Rule.NotNegative());
      case "pointsabove", "pointsbelow" ->
          new Aggregation.Mapped(new Rule.Points(call.name().equals("pointsabove"), k().real()));
      case "topk", "bottomk" ->
          new Aggregation.Chosen(
              new Rule.Area(call.name().equals("topk"), AggregationNames.count(k().whole())));
      case "abovek", "belowk" ->
          new Aggregation.Chosen(new Rule.Extreme(call.name().equals("abovek"), k().real()));
      case "group" -> new Aggregation.Group(names(next("of")), of("each"));
      case "collapse" -> new Aggregation.Collapse(names(next("of")), of("each"));
      case "chain" -> chain();
      case "opts" -> {
        Aggregation of = of("aggregation");
        yield new Aggregation.Opts(keyword("size"), keyword("extent"), of);
      }
      default -> throw call.error(AggregationNames.unknown(call.name()));
    };
  }

  /** Takes the next argument, or the one with a name; null if there is neither. */
  private @Nullable Expression next(String name) {
    return arguments.isEmpty() ? keywords.remove(name) : arguments.removeFirst();
  }

  private @Nullable Long span(String name) {
    return positive(next(name));
  }

  private @Nullable Long keyword(String name) {
    return positive(keywords.remove(name));
  }

  private static @Nullable Long positive(@Nullable Expression span) {
    if (span == null) {
      return null;
    }
    long millis = span.whole();
    if (millis < 1) {
      throw span.error("expected a duration of at least 1 ms, not of %d ms".formatted(millis));
    }
    return millis;
  }

  private Expression k() {
    if (arguments.isEmpty()) {
      throw call.error("missing required argument 'k'");
    }
    return arguments.removeFirst();
  }

  private Aggregation of(String name) {
    Expression of = next(name);
    return of == null ? new Aggregation.Empty() : read(of.call());
  }

  private static @Nullable List<String> names(@Nullable Expression of) {
    return of == null || of instanceof Expression.Everything
        ? null
        : of.items().stream().map(Expression::text).toList();
  }

  private Aggregation chain() {
    List<Aggregation> chain = new ArrayList<>();
    while (!arguments.isEmpty()) {
      chain.add(read(arguments.removeFirst().call()));
    }
    if (chain.isEmpty()) {
      throw call.error("a chain has at least one aggregation");
    }
    return chain.size() == 1 ? chain.getFirst() : new Aggregation.Chain(chain);
  }

  private static Fold cardinality(@Nullable Expression method) {
    if (method == null) {
      return new Fold.Cardinality(false);
    }
    Expression.Call named = method.call();
    Expression includeKey = named.keywords().get("includeKey");
    return AggregationNames.cardinality(
        named.name(), includeKey != null && includeKey.text().equals("true"));
  }

  private void expectNoMore() {
    if (!arguments.isEmpty()) {
      throw arguments.getFirst().error(call.name() + " takes no more arguments");
    }
    if (!keywords.isEmpty()) {
      throw call.error(
          "%s has no argument %s".formatted(call.name(), String.join(" and ", keywords.keySet())));
    }
  }
}
