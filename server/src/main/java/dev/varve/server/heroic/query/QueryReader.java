package dev.varve.server.heroic.query;

import dev.varve.server.heroic.aggregation.Aggregation;
import dev.varve.server.heroic.aggregation.Session;
import dev.varve.server.heroic.aggregation.Stage;
import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.heroic.filter.Filter;
import dev.varve.server.heroic.filter.FilterJson;
import dev.varve.server.heroic.filter.FilterRewrite;
import dev.varve.server.heroic.json.Node;
import dev.varve.server.heroic.language.Language;
import dev.varve.server.heroic.series.DateRange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads queries of one request. */
public final class QueryReader {
  private static final Set<String> OTHER_SOURCES =
      Set.of("spreads", "groups", "cardinality", "tdigestPoints");

  private final long now;

  /**
   * Creates a reader.
   *
   * @param now in ms since 1970
   */
  public QueryReader(long now) {
    this.now = now;
  }

  /** The parts of a query, whether it is JSON or a text in Heroic's language. */
  private record Asked(
      Aggregation aggregation, boolean distributions, @Nullable DateRange range, Filter filter) {}

  /**
   * Reads a query of the language.
   *
   * @throws HeroicError if the query is invalid
   */
  public PreparedQuery text(String text) {
    return prepared(asked(text), null, Feature.of(null));
  }

  /**
   * Reads a query.
   *
   * @param otherRange the range if the query has none; null for none
   * @throws HeroicError if the query is invalid
   */
  public PreparedQuery json(Node node, @Nullable Node otherRange) {
    Node text = node.get("query");
    Asked asked = text == null ? asked(node) : asked(text.text());
    DateRange range = asked.range();
    if (range == null) {
      range = range(node.get("range"));
    }
    if (range == null) {
      range = range(otherRange);
    }
    return prepared(
        new Asked(asked.aggregation(), asked.distributions(), range, asked.filter()),
        node.get("options"),
        Feature.of(node.get("features")));
  }

  /**
   * Reads the queries of a batch, by their names.
   *
   * @throws HeroicError if one is wrong
   */
  public Map<String, PreparedQuery> batch(Node body) {
    Map<String, PreparedQuery> prepared = new LinkedHashMap<>();
    Node queries = body.get("queries");
    if (queries != null) {
      queries.object().forEach((name, query) -> prepared.put(name, json(query, body.get("range"))));
    }
    return prepared;
  }

  private @Nullable DateRange range(@Nullable Node node) {
    return node == null ? null : DateRange.of(node, now);
  }

  private Asked asked(String text) {
    Language.Statement statement = Language.query(text, now);
    Long start = statement.start();
    Long end = statement.end();
    return new Asked(
        statement.select() == null
            ? new Aggregation.Empty()
            : AggregationCall.read(statement.select()),
        distributions(statement.source(), true),
        start == null || end == null || end <= start ? null : new DateRange(start, end),
        statement.where() == null ? new Filter.True() : statement.where());
  }

  private Asked asked(Node node) {
    Node source = node.get("source");
    return new Asked(
        aggregation(node),
        distributions(source == null ? null : source.text(), false),
        range(node.get("range")),
        filter(node));
  }

  private static Aggregation aggregation(Node node) {
    Node aggregation = node.get("aggregation");
    Node aggregators = node.get("aggregators");
    if (aggregation != null) {
      return AggregationJson.read(aggregation);
    }
    return aggregators == null
        ? new Aggregation.Empty()
        : AggregationJson.chain(aggregators.array());
  }

  private static boolean distributions(@Nullable String source, boolean strict) {
    if (source == null || source.equals("points")) {
      return false;
    }
    if (source.equals("distributionPoints")) {
      return true;
    }
    if (strict || OTHER_SOURCES.contains(source)) {
      throw HeroicError.of(
          "unsupported source: '%s'; there are points and distributionPoints".formatted(source));
    }
    // Heroic takes a source that it does not know for points.
    return false;
  }

  /** Returns the filter, together with the older {@code key} and {@code tags}. */
  private static Filter filter(Node node) {
    List<Filter> all = new ArrayList<>();
    Node filter = node.get("filter");
    if (filter != null) {
      all.add(new FilterJson(Language::filter).read(filter));
    }
    Node tags = node.get("tags");
    if (tags != null) {
      for (Map.Entry<String, Node> tag : tags.object().entrySet()) {
        all.add(new Filter.MatchTag(tag.getKey(), tag.getValue().text()));
      }
    }
    Node key = node.get("key");
    if (key != null) {
      all.add(new Filter.MatchKey(key.text()));
    }
    return switch (all.size()) {
      case 0 -> new Filter.True();
      case 1 -> all.getFirst();
      default -> FilterRewrite.normalised(new Filter.And(all));
    };
  }

  private PreparedQuery prepared(Asked asked, @Nullable Node options, Set<Feature> features) {
    DateRange raw = asked.range();
    if (raw == null) {
      throw HeroicError.of("Range must be present");
    }
    Stage stage = asked.aggregation().in(Aggregation.Around.query(raw.end() - raw.start()));
    DateRange range =
        features.contains(Feature.SHIFT_RANGE) ? raw.shifted(stage.cadence(), now) : raw;
    boolean atEnd = atEnd(options, features);
    Session.Setting.check(stage, range.start(), range.end(), atEnd);
    return new PreparedQuery(
        stage,
        range,
        asked.filter(),
        asked.distributions() || stage.readsDistributions(),
        atEnd,
        Limits.of(options),
        traced(options),
        features.contains(Feature.DETERMINISTIC_AGGREGATIONS));
  }

  private static boolean atEnd(@Nullable Node options, Set<Feature> features) {
    Node strategy = options == null ? null : options.get("bucketStrategy");
    if (strategy == null) {
      return features.contains(Feature.END_BUCKET);
    }
    return switch (strategy.text()) {
      case "start" -> false;
      case "end" -> true;
      default -> throw strategy.wrong("'start' or 'end'");
    };
  }

  private static boolean traced(@Nullable Node options) {
    Node tracing = options == null ? null : options.get("tracing");
    if (tracing == null) {
      // Heroic's default is to trace.
      return true;
    }
    return tracing.isText()
        ? switch (tracing.text().toLowerCase(Locale.ROOT)) {
          case "none" -> false;
          case "default", "detailed" -> true;
          default -> throw tracing.wrong("none, default or detailed");
        }
        : tracing.truth();
  }
}
