package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.model.Kind;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.query.running.QueryUse;
import dev.varve.server.dialect.CatalogQuestion;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.opentsdb.query.JsonAnswer;
import dev.varve.server.opentsdb.query.JsonBody;
import dev.varve.server.opentsdb.query.Names;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import dev.varve.server.opentsdb.query.QueryWords;
import dev.varve.server.opentsdb.query.TagOrder;
import dev.varve.server.opentsdb.query.Tsuid;
import dev.varve.server.opentsdb.query.UidNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** {@code /api/search/lookup}: the series with given tags. */
final class Lookup {
  private static final int LIMIT = 25;

  /** Memory of a found series in the answer, in bytes. */
  private static final long FOUND_BYTES = 600;

  private final DialectContext context;

  Lookup(DialectContext context) {
    this.context = context;
  }

  /**
   * A request.
   *
   * @param metric null for all
   * @param limit 0 for all
   */
  private record Asked(@Nullable String metric, List<QueryWords.Pair> tags, long limit) {}

  /** Answers a request. */
  void handle(Exchange exchange) throws IOException {
    Asked asked = exchange.method().equals("POST") ? posted(exchange) : inUrl(exchange);
    if (asked.metric() == null && asked.tags().isEmpty()) {
      throw new OpenTsdbError(400, "Missing metric and tags. Please supply at least one value.");
    }
    Dataset dataset = context.dataset(exchange);
    context.query(
        exchange,
        dataset,
        Telnet.NAME,
        "lookup " + asked,
        use -> {
          long begun = System.nanoTime();
          List<Series> found = found(asked, dataset, use);
          long millis = (System.nanoTime() - begun) / 1_000_000;
          JsonAnswer.write(
              exchange, json -> write(asked, found, millis, new UidNames(dataset, use), json));
        });
  }

  private static Asked inUrl(Exchange exchange) {
    String text = exchange.parameter("m");
    if (text == null || text.isEmpty()) {
      throw new OpenTsdbError(400, "Missing parameter <code>m</code>");
    }
    List<QueryWords.Pair> tags = new ArrayList<>();
    String metric;
    try {
      metric = QueryWords.metricAndPairs(text, tags);
    } catch (IllegalArgumentException e) {
      throw new OpenTsdbError(400, "Unable to parse query", String.valueOf(e.getMessage()));
    }
    String limit = exchange.parameter("limit");
    try {
      return new Asked(metric, tags, limit == null ? LIMIT : Integer.parseInt(limit));
    } catch (NumberFormatException e) {
      throw new OpenTsdbError(400, "Unable to convert 'limit' to a valid number");
    }
  }

  private static Asked posted(Exchange exchange) throws IOException {
    JsonBody body = JsonBody.read(exchange.wholeBody(), exchange.memory());
    List<QueryWords.Pair> tags = new ArrayList<>();
    for (JsonBody tag : body.objects("tags")) {
      tags.add(new QueryWords.Pair(tag.text("key"), tag.text("value")));
    }
    String metric = body.text("metric");
    boolean none = metric == null || metric.isEmpty();
    return new Asked(none ? null : metric, tags, body.integer("limit", LIMIT));
  }

  /** Returns whether a name matches any name. */
  private static boolean isAny(@Nullable String name) {
    return name == null || name.isEmpty() || name.equals("*");
  }

  private static List<Series> found(Asked asked, Dataset dataset, QueryUse use) {
    requireKnown(asked, new Names(dataset, use));
    List<TagFilter> filters = new ArrayList<>();
    String metric = asked.metric();
    if (metric != null && !isAny(metric)) {
      filters.add(new TagFilter.Equal(Series.NAME_LABEL, metric));
    }
    // Several values of one tag are alternatives.
    Map<String, Set<String>> values = new LinkedHashMap<>();
    Set<String> anywhere = new LinkedHashSet<>();
    for (QueryWords.Pair tag : asked.tags()) {
      String key = tag.key();
      String value = tag.value();
      if (key != null && !isAny(key)) {
        Set<String> of = values.computeIfAbsent(key, none -> new LinkedHashSet<>());
        if (value != null && !isAny(value)) {
          of.add(value);
        }
      } else if (value != null && !isAny(value)) {
        anywhere.add(value);
      }
    }
    values.forEach((key, some) ->
        filters.add(some.isEmpty() ? new TagFilter.Has(key) : new TagFilter.In(key, some)));
    long limit = asked.limit() <= 0 ? Long.MAX_VALUE : asked.limit();
    try (Stream<Series> found =
        new CatalogQuestion(use)
            .series(
                dataset,
                List.of(new Selector(filters)),
                null,
                Kind.ALL,
                anywhere.isEmpty() && asked.limit() > 0 ? asked.limit() : 0)) {
      return found
          .filter(series -> series.labels().values().containsAll(anywhere))
          .limit(limit)
          .peek(series -> use.held(FOUND_BYTES, "the series of a lookup"))
          .sorted(
              Comparator.comparing(Series::metric)
                  .thenComparing(series -> TagOrder.sorted(series.labels()), TagOrder.TAGS))
          .toList();
    }
  }

  private static void requireKnown(Asked asked, Names names) {
    try {
      if (!isAny(asked.metric())) {
        names.require(Tsuid.Kind.METRIC, String.valueOf(asked.metric()));
      }
      for (QueryWords.Pair tag : asked.tags()) {
        if (!isAny(tag.key())) {
          names.require(Tsuid.Kind.TAGK, String.valueOf(tag.key()));
        }
        if (!isAny(tag.value())) {
          names.require(Tsuid.Kind.TAGV, String.valueOf(tag.value()));
        }
      }
    } catch (OpenTsdbError e) {
      throw new OpenTsdbError(404, "Unable to resolve one or more UIDs", e.details());
    }
  }

  private static void write(
      Asked asked, List<Series> found, long millis, UidNames uids, JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("type", "LOOKUP");
    if (asked.metric() != null) {
      json.writeStringProperty("metric", asked.metric());
    }
    json.writeArrayPropertyStart("tags");
    for (QueryWords.Pair tag : asked.tags()) {
      json.writeStartObject();
      json.writeName("key");
      text(tag.key(), json);
      json.writeName("value");
      text(tag.value(), json);
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeNumberProperty("limit", asked.limit());
    json.writeNumberProperty("time", (double) millis);
    json.writeArrayPropertyStart("results");
    for (Series series : found) {
      json.writeStartObject();
      json.writeObjectPropertyStart("tags");
      series.labels().forEach(json::writeStringProperty);
      json.writeEndObject();
      json.writeStringProperty("metric", series.metric());
      json.writeStringProperty("tsuid", uids.tsuid(series.metric(), series.labels()));
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeNumberProperty("startIndex", 0);
    json.writeNumberProperty("totalResults", found.size());
    json.writeEndObject();
  }

  private static void text(@Nullable String text, JsonGenerator json) {
    if (text == null) {
      json.writeNull();
    } else {
      json.writeString(text);
    }
  }
}
