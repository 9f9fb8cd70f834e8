package dev.varve.server.opentsdb.query;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a query that was posted. */
public final class QueryBody {
  private QueryBody() {}

  /**
   * Reads a query.
   *
   * @throws OpenTsdbError 400 if it is malformed
   */
  public static TsQuery read(JsonBody body) {
    List<SubQuery> queries = new ArrayList<>();
    for (JsonBody sub : body.objects("queries")) {
      queries.add(sub(sub));
    }
    return new TsQuery(
        body.text("start"),
        body.text("end"),
        body.text("timezone"),
        body.is("useCalendar"),
        queries,
        new TsQuery.Options(
            body.is("padding"),
            body.is("noAnnotations"),
            body.is("globalAnnotations"),
            body.is("showTSUIDs"),
            body.is("msResolution"),
            body.is("showQuery"),
            body.is("showStats"),
            body.is("showSummary"),
            body.is("delete")));
  }

  private static SubQuery sub(JsonBody body) {
    SubQuery.Builder query = new SubQuery.Builder();
    query.aggregator = body.text("aggregator");
    query.metric = body.text("metric");
    query.tsuids = body.texts("tsuids");
    query.downsample = body.text("downsample");
    query.rate = body.is("rate");
    query.rateOptions = rateOptions(body.object("rateOptions"));
    query.explicitTags = body.is("explicitTags");
    query.showHistogramBuckets = body.is("showHistogramBuckets");
    query.preAggregate = body.is("preAggregate");
    String usage = body.text("rollupUsage");
    query.rollupUsage = usage == null ? null : Sources.usage(usage);
    query.percentiles = percentiles(body);
    // Each of the two replaces what the other set, as in OpenTSDB.
    for (String name : body.names()) {
      switch (name) {
        case "tags" -> query.filters = ofTags(body.mapWithNulls(name));
        case "filters" -> query.filters = filters(body.objects(name));
        default -> {
          // Read above, or ignored as by OpenTSDB.
        }
      }
    }
    return query.build();
  }

  private static @Nullable List<Float> percentiles(JsonBody body) {
    List<String> texts = body.texts("percentiles");
    if (texts == null) {
      return null;
    }
    try {
      List<Float> percentiles = new ArrayList<>(texts.stream().map(Float::valueOf).toList());
      Collections.sort(percentiles);
      return percentiles;
    } catch (NumberFormatException e) {
      throw JsonBody.wrong("'percentiles' is an array of numbers");
    }
  }

  private static @Nullable RateOptions rateOptions(@Nullable JsonBody body) {
    if (body == null) {
      return null;
    }
    body.requireOnly("counter", "counterMax", "resetValue", "dropResets");
    return new RateOptions(
        body.is("counter"),
        body.integer("counterMax", Long.MAX_VALUE),
        body.integer("resetValue", 0),
        body.is("dropResets"));
  }

  private static List<ValueFilter> ofTags(Map<String, @Nullable String> tags) {
    List<ValueFilter> filters = new ArrayList<>();
    try {
      tags.forEach((name, value) ->
          // For OpenTSDB a filter that is null is an empty one.
          ValueFilter.addGrouping(
              filters, ValueFilter.ofTag(name, value == null ? "" : value, true)));
      return filters;
    } catch (IllegalArgumentException e) {
      throw JsonBody.wrong(String.valueOf(e.getMessage()));
    }
  }

  /** Reads an array of filters. */
  public static List<ValueFilter> filters(List<JsonBody> bodies) {
    List<ValueFilter> filters = new ArrayList<>();
    for (JsonBody body : bodies) {
      try {
        filters.add(
            ValueFilter.of(
                body.text("type"),
                body.text("tagk"),
                body.text("filter"),
                body.is("groupBy") || body.is("group_by")));
      } catch (IllegalArgumentException e) {
        throw JsonBody.wrong(String.valueOf(e.getMessage()));
      }
    }
    return filters;
  }
}
