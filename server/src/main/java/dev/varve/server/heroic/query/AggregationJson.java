package dev.varve.server.heroic.query;

import dev.varve.server.heroic.aggregation.Aggregation;
import dev.varve.server.heroic.aggregation.Fold;
import dev.varve.server.heroic.aggregation.Rule;
import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.heroic.json.Node;
import dev.varve.server.heroic.series.DateRange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Aggregations as JSON: objects with a {@code type}. */
final class AggregationJson {
  private AggregationJson() {}

  /**
   * Reads an aggregation.
   *
   * @throws HeroicError if the value is not an aggregation
   */
  static Aggregation read(Node node) {
    Node type = node.required("type");
    Fold.Basic basic = AggregationNames.basic(type.text());
    if (basic != null) {
      return sampled(basic, node);
    }
    return switch (type.text()) {
      case "quantile" -> sampled(quantile(node), node);
      case "cardinality" -> sampled(cardinality(node), node);
      case "empty" -> new Aggregation.Empty();
      case "delta" -> new Aggregation.Mapped(new Rule.Delta(false));
      case "deltaPerSecond" -> new Aggregation.Mapped(new Rule.Delta(true));
      case "notNegative" -> new Aggregation.Mapped(new Rule.NotNegative());
      case "pointsabove", "pointsbelow" ->
          new Aggregation.Mapped(
              new Rule.Points(
                  type.text().equals("pointsabove"), node.required("threshold").real()));
      case "topk", "bottomk" -> {
        noChild(node);
        yield new Aggregation.Chosen(
            new Rule.Area(type.text().equals("topk"), AggregationNames.count(k(node))));
      }
      case "abovek", "belowk" -> {
        noChild(node);
        yield new Aggregation.Chosen(
            new Rule.Extreme(type.text().equals("abovek"), node.required("k").real()));
      }
      case "group" -> new Aggregation.Group(names(node.get("of")), each(node.get("each")));
      case "collapse" -> new Aggregation.Collapse(names(node.get("of")), each(node.get("each")));
      case "chain" -> {
        Aggregation chain = chain(node.required("chain").array());
        if (chain instanceof Aggregation.Empty) {
          throw HeroicError.json("a chain has at least one aggregation", node.path());
        }
        yield chain;
      }
      case "opts" -> {
        Sampling sampling = sampling(node.get("sampling"));
        Node of = node.get("aggregation");
        yield new Aggregation.Opts(
            sampling.size(), sampling.extent(), of == null ? new Aggregation.Empty() : read(of));
      }
      default -> throw HeroicError.json(AggregationNames.unknown(type.text()), type.path());
    };
  }

  private static long k(Node node) {
    return node.required("k").whole();
  }

  private static void noChild(Node node) {
    Node of = node.get("of");
    if (of != null) {
      throw HeroicError.json("a child aggregation is not supported; use a chain", of.path());
    }
  }

  private static Aggregation each(@Nullable Node each) {
    if (each == null) {
      return new Aggregation.Empty();
    }
    return each.isArray() ? chain(each.array()) : read(each);
  }

  /** Reads a list of aggregations as a chain; an empty one collects points. */
  static Aggregation chain(List<Node> nodes) {
    List<Aggregation> chain = new ArrayList<>();
    nodes.forEach(node -> chain.add(read(node)));
    return switch (chain.size()) {
      case 0 -> new Aggregation.Empty();
      case 1 -> chain.getFirst();
      default -> new Aggregation.Chain(chain);
    };
  }

  private static @Nullable List<String> names(@Nullable Node of) {
    return of == null ? null : of.array().stream().map(Node::text).toList();
  }

  private static Fold quantile(Node node) {
    Node q = node.get("q");
    Node error = node.get("error");
    return AggregationNames.quantile(
        q == null ? null : q.real(), error == null ? null : error.real());
  }

  private static Fold cardinality(Node node) {
    Node method = node.get("method");
    if (method == null) {
      return new Fold.Cardinality(false);
    }
    String type = method.required("type").text();
    Node includeKey = method.get("includeKey");
    return AggregationNames.cardinality(type, includeKey != null && includeKey.truth());
  }

  /** Size and extent in ms; null if they are not given. */
  private record Sampling(@Nullable Long size, @Nullable Long extent) {}

  private static Aggregation sampled(Fold fold, Node node) {
    Sampling sampling = sampling(node.get("sampling"));
    Node size = node.get("size");
    Node extent = node.get("extent");
    return new Aggregation.Sampled(
        fold,
        size == null ? sampling.size() : duration(size, null),
        extent == null ? sampling.extent() : duration(extent, null));
  }

  private static Sampling sampling(@Nullable Node node) {
    if (node == null) {
      return new Sampling(null, null);
    }
    Node unit = node.get("unit");
    TimeUnit given = unit == null ? null : DateRange.unit(unit);
    // The documentation calls it 'size', the parser 'value'.
    Node size = node.get("value") == null ? node.get("size") : node.get("value");
    Node extent = node.get("extent");
    return new Sampling(
        size == null ? null : duration(size, given),
        extent == null ? null : duration(extent, given));
  }

  /**
   * Reads a duration: {@code "5m"}, a number of ms, or an object.
   *
   * @param unit the unit of its number, whatever it says itself; null for its own
   * @return boxed, since callers mix it with values that may be null
   */
  private static Long duration(Node node, @Nullable TimeUnit unit) {
    if (node.isObject()) {
      Node own = node.get("unit");
      TimeUnit chosen = unit != null ? unit : own != null ? DateRange.unit(own) : TimeUnit.SECONDS;
      return millis(node, node.required("duration").whole(), chosen);
    }
    if (node.isNumber()) {
      return millis(node, node.whole(), unit == null ? TimeUnit.MILLISECONDS : unit);
    }
    String text = node.text();
    int digits = 0;
    while (digits < text.length() && Character.isDigit(text.charAt(digits))) {
      digits++;
    }
    if (digits == 0 || digits > 18) {
      throw node.wrong("a duration such as \"5m\"");
    }
    long number = Long.parseLong(text.substring(0, digits));
    return switch (text.substring(digits)) {
      case "w" -> millis(node, Math.multiplyExact(number, 7L), unit == null ? TimeUnit.DAYS : unit);
      case "", "ms" -> millis(node, number, unit == null ? TimeUnit.MILLISECONDS : unit);
      case "s" -> millis(node, number, unit == null ? TimeUnit.SECONDS : unit);
      case "m" -> millis(node, number, unit == null ? TimeUnit.MINUTES : unit);
      case "h", "H" -> millis(node, number, unit == null ? TimeUnit.HOURS : unit);
      case "d" -> millis(node, number, unit == null ? TimeUnit.DAYS : unit);
      default -> throw node.wrong("a duration with the unit ms, s, m, h, d or w");
    };
  }

  private static long millis(Node node, long number, TimeUnit unit) {
    long millis = unit.toMillis(number);
    if (millis < 1) {
      throw node.wrong("a duration of at least 1 ms");
    }
    return millis;
  }
}
