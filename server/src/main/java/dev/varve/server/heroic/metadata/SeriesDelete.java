package dev.varve.server.heroic.metadata;

import dev.varve.engine.Dataset;
import dev.varve.model.Kind;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import dev.varve.query.running.QueryUse;
import dev.varve.server.dialect.CatalogQuestion;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.heroic.filter.ExactSelectors;
import dev.varve.server.heroic.json.HeroicJson;
import dev.varve.server.heroic.json.Node;
import dev.varve.server.heroic.json.NodeReader;
import dev.varve.server.heroic.series.DateRange;
import dev.varve.server.heroic.series.HeroicSeries;
import dev.varve.server.heroic.series.Millis;
import dev.varve.server.http.Exchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** {@code DELETE /metadata/series}: deletes the points that series have in a range. */
public final class SeriesDelete {
  private final DialectContext context;
  private final String language;

  /**
   * Creates the handler.
   *
   * @param language under which requests are counted
   */
  public SeriesDelete(DialectContext context, String language) {
    this.context = context;
    this.language = language;
  }

  /** Answers once the delete is durable. */
  public void delete(Exchange exchange) throws IOException {
    context.ensureMayDelete(exchange);
    Dataset dataset = context.dataset(exchange);
    byte[] body = exchange.wholeBody();
    exchange.memory().hold(2L * body.length);
    long now = context.clock().millis();
    Node asked = NodeReader.read(body, exchange.memory());
    MetadataRequest request = MetadataRequest.of(asked, now);
    if (asked.get("filter") == null) {
      throw HeroicError.of("a delete needs a filter; [\"true\"] selects all series of the range");
    }
    Node range = asked.get("range");
    if (range != null && DateRange.of(range, now) == null) {
      throw HeroicError.of("the range of a delete must end after it starts");
    }
    List<Selector> selectors = ExactSelectors.of(request.filter());
    if (selectors == null) {
      throw HeroicError.of(
          "a delete takes conditions of keys and tags that are not empty texts, and at most 64"
              + " alternatives of them; send several deletes");
    }
    TimeRange times =
        Millis.closed(request.range().start(), request.range().end(), dataset.resolution());
    context.query(
        exchange,
        dataset,
        language,
        "delete series " + new String(body, StandardCharsets.UTF_8),
        use -> {
          int deleted = matching(dataset, request, selectors, times, use);
          selectors.forEach(selector -> dataset.deletes().begin(selector, times));
          HeroicJson.object(
              exchange,
              json -> {
                json.writeArrayPropertyStart("errors");
                json.writeEndArray();
                json.writeNumberProperty("deleted", deleted);
                json.writeNumberProperty("failed", 0);
              });
        });
  }

  /** Counts the series of which points are deleted, and refuses if others would lose some, too. */
  private static int matching(
      Dataset dataset,
      MetadataRequest request,
      List<Selector> selectors,
      TimeRange times,
      QueryUse use) {
    Predicate<HeroicSeries> test = request.filter().test();
    Set<HeroicSeries> found = new HashSet<>();
    try (Stream<HeroicSeries> series =
        new CatalogQuestion(use)
            .series(dataset, selectors, times, Kind.ALL, 0)
            .map(HeroicSeries::of)) {
      series.forEach(one -> {
        use.ensureWanted();
        if (!test.test(one)) {
          throw HeroicError.of(
              "the filter names a tag that is a resource identifier of series '%s', which filters do not see"
                  .formatted(one.key()));
        }
        if (found.add(one)) {
          use.held(one.bytes(), "series");
        }
      });
    }
    return found.size();
  }
}
