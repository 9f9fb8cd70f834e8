package dev.varve.server.heroic.metadata;

import dev.varve.engine.Dataset;
import dev.varve.model.Kind;
import dev.varve.query.running.QueryUse;
import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.heroic.filter.Filter;
import dev.varve.server.heroic.filter.FilterJson;
import dev.varve.server.heroic.json.Node;
import dev.varve.server.heroic.language.Language;
import dev.varve.server.heroic.series.DateRange;
import dev.varve.server.heroic.series.HeroicSeries;
import dev.varve.server.heroic.series.Millis;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A request for metadata: the filter and the range of time that select series.
 *
 * @param body the whole request
 */
record MetadataRequest(Node body, Filter filter, DateRange range) {
  private static final long WEEK = 7L * 86_400_000;

  /**
   * Reads a request; without a range it is about the last seven days.
   *
   * @throws HeroicError if the body is not a request
   */
  static MetadataRequest of(Node body, long now) {
    Node filter = body.get("filter");
    Node given = body.get("range");
    DateRange range = given == null ? null : DateRange.of(given, now);
    return new MetadataRequest(
        body,
        filter == null ? new Filter.True() : new FilterJson(Language::filter).read(filter),
        range == null ? new DateRange(Math.max(0, now - WEEK), now) : range);
  }

  /** Returns the request's {@code limit}, or another if it has none. */
  int limit(int otherwise) {
    return limit("limit", otherwise);
  }

  int limit(String name, int otherwise) {
    Node limit = body.get(name);
    if (limit == null) {
      return otherwise;
    }
    if (limit.whole() < 0) {
      throw HeroicError.json("a limit must be at least 0, not " + limit.whole(), limit.path());
    }
    return (int) Math.min(limit.whole(), Integer.MAX_VALUE);
  }

  @Nullable String text(String name) {
    Node text = body.get(name);
    return text == null ? null : text.text();
  }

  /** Returns the series it is about. The stream must be closed. */
  Stream<HeroicSeries> series(Dataset dataset, QueryUse use) {
    return new MatchingSeries(dataset, use)
        .of(filter, Millis.closed(range.start(), range.end(), dataset.resolution()), Kind.ALL);
  }
}
