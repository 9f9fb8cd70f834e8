package dev.varve.server.heroic.metadata;

import dev.varve.engine.Dataset;
import dev.varve.query.running.QueryUse;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.heroic.json.HeroicJson;
import dev.varve.server.heroic.json.NodeReader;
import dev.varve.server.heroic.series.HeroicSeries;
import dev.varve.server.http.Exchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import tools.jackson.core.JsonGenerator;

/** Answers {@code /metadata/*} except the suggestions. */
public final class MetadataAnswers {
  private static final int LIMIT = 50;
  private static final int TAGS_LIMIT = 10;

  /** Maximum number of values of a tag that are listed; more are only counted. */
  private static final int EXACT = 10;

  private static final int KEY_BYTES = 120;

  private final DialectContext context;
  private final String language;

  /**
   * Creates the answers.
   *
   * @param language under which requests are counted
   */
  public MetadataAnswers(DialectContext context, String language) {
    this.context = context;
    this.language = language;
  }

  /** Writes the members of an answer. */
  interface Writer {
    void write(MetadataRequest request, Dataset dataset, QueryUse use, JsonGenerator json);
  }

  /**
   * Answers a request.
   *
   * @param name under which it is listed
   */
  void answer(Exchange exchange, String name, Writer writer) throws IOException {
    Dataset dataset = context.dataset(exchange);
    byte[] body = exchange.wholeBody();
    exchange.memory().hold(2L * body.length);
    MetadataRequest request =
        MetadataRequest.of(NodeReader.read(body, exchange.memory()), context.clock().millis());
    String text = name + " " + new String(body, StandardCharsets.UTF_8);
    context.query(
        exchange,
        dataset,
        language,
        text,
        use ->
            HeroicJson.object(
                exchange,
                json -> {
                  noErrors(json);
                  writer.write(request, dataset, use, json);
                }));
  }

  private static void noErrors(JsonGenerator json) {
    json.writeArrayPropertyStart("errors");
    json.writeEndArray();
  }

  /** Answers the tags of series with their values. */
  public void tags(Exchange exchange) throws IOException {
    answer(
        exchange,
        "tags",
        (request, dataset, use, json) -> {
          Map<String, SortedSet<String>> all =
              TagValues.of(request.series(dataset, use), (name, value) -> true, use);
          int limit = request.limit(LIMIT);
          json.writeObjectPropertyStart("tags");
          all.entrySet().stream()
              .limit(limit)
              .forEach(tag -> texts(tag.getKey(), tag.getValue(), json));
          json.writeEndObject();
          json.writeNumberProperty("size", Math.min(limit, all.size()));
        });
  }

  static void texts(String name, Iterable<String> texts, JsonGenerator json) {
    json.writeArrayPropertyStart(name);
    texts.forEach(json::writeString);
    json.writeEndArray();
  }

  /** Answers the keys of series. */
  public void keys(Exchange exchange) throws IOException {
    answer(
        exchange,
        "keys",
        (request, dataset, use, json) -> {
          SortedSet<String> keys = keys(request, dataset, use);
          List<String> first = keys.stream().limit(request.limit(LIMIT)).toList();
          texts("keys", first, json);
          json.writeNumberProperty("size", first.size());
          json.writeNumberProperty("duplicates", 0);
        });
  }

  static SortedSet<String> keys(MetadataRequest request, Dataset dataset, QueryUse use) {
    SortedSet<String> keys = new TreeSet<>();
    try (Stream<HeroicSeries> series = request.series(dataset, use)) {
      series.forEach(one -> {
        if (keys.add(one.key())) {
          use.held(KEY_BYTES, "keys");
        }
      });
    }
    return keys;
  }

  /** Answers series. */
  public void series(Exchange exchange) throws IOException {
    answer(
        exchange,
        "series",
        (request, dataset, use, json) -> {
          int limit = request.limit(LIMIT);
          Set<HeroicSeries> first = new HashSet<>();
          boolean limited = false;
          json.writeArrayPropertyStart("series");
          try (Stream<HeroicSeries> series = request.series(dataset, use)) {
            for (HeroicSeries one : (Iterable<HeroicSeries>) series::iterator) {
              if (first.size() == limit) {
                limited = true;
                break;
              }
              use.held(one.bytes(), "series");
              if (first.add(one)) {
                one.write(json);
              }
            }
          }
          json.writeEndArray();
          json.writeBooleanProperty("limited", limited);
        });
  }

  /** Answers how many series there are. */
  public void seriesCount(Exchange exchange) throws IOException {
    answer(
        exchange,
        "series-count",
        (request, dataset, use, json) -> {
          try (Stream<HeroicSeries> series = request.series(dataset, use)) {
            json.writeNumberProperty("count", series.count());
          }
          json.writeBooleanProperty("limited", false);
        });
  }

  /** Answers how many values each tag has, and which if they are few. */
  public void tagKeyCount(Exchange exchange) throws IOException {
    answer(
        exchange,
        "tagkey-count",
        (request, dataset, use, json) -> {
          Map<String, SortedSet<String>> all =
              TagValues.of(request.series(dataset, use), (name, value) -> true, use);
          int limit = request.limit(TAGS_LIMIT);
          json.writeArrayPropertyStart("suggestions");
          all.entrySet().stream().limit(limit).forEach(tag -> count(tag, json));
          json.writeEndArray();
          json.writeBooleanProperty("limited", all.size() > limit);
        });
  }

  private static void count(Map.Entry<String, SortedSet<String>> tag, JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("key", tag.getKey());
    json.writeNumberProperty("count", tag.getValue().size());
    if (tag.getValue().size() <= EXACT) {
      texts("exactValues", tag.getValue(), json);
    } else {
      json.writeName("exactValues");
      json.writeNull();
    }
    json.writeEndObject();
  }

  /** Returns the error for a request to add a series. */
  public static HeroicError noAdding() {
    return HeroicError.of("a series cannot be added by itself: it exists from its first point on");
  }
}
