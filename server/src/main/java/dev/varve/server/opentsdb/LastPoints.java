package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.engine.ReadRequest;
import dev.varve.engine.ReadRequest.Kinds;
import dev.varve.engine.ReadRequest.Order;
import dev.varve.engine.RunCursor;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Samples;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.StaleMarker;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import dev.varve.query.running.QueryUse;
import dev.varve.server.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.opentsdb.query.JsonAnswer;
import dev.varve.server.opentsdb.query.JsonBody;
import dev.varve.server.opentsdb.query.Names;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import dev.varve.server.opentsdb.query.QueryWords;
import dev.varve.server.opentsdb.query.Tsuid;
import dev.varve.server.opentsdb.query.UidNames;
import dev.varve.store.Budget;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** {@code /api/query/last}: the newest point of series. */
final class LastPoints {
  private static final long HOUR = 3_600_000;

  /** The newest sample may be a marker of Prometheus, and then the one before counts. */
  private static final int SAMPLES = 2;

  private final DialectContext context;

  LastPoints(DialectContext context) {
    this.context = context;
  }

  /**
   * A request.
   *
   * @param backScan number of hours before the current one in which to look; 0 for all of time
   */
  private record Asked(List<Sub> subs, boolean resolve, long backScan) {}

  /**
   * The series of a request.
   *
   * @param tsuids empty if the series are named by metric and tags
   */
  private record Sub(@Nullable String metric, Map<String, String> tags, List<String> tsuids) {}

  /** Answers a request. */
  void handle(Exchange exchange) throws IOException {
    Asked asked = exchange.method().equals("POST") ? posted(exchange) : inUrl(exchange);
    if (asked.subs().isEmpty()) {
      throw new OpenTsdbError(400, "Missing sub queries");
    }
    Dataset dataset = context.dataset(exchange);
    context.query(
        exchange,
        dataset,
        Telnet.NAME,
        "last " + asked.subs(),
        use ->
            JsonAnswer.write(
                exchange,
                json -> {
                  json.writeStartArray();
                  asked.subs().forEach(sub -> write(sub, asked, dataset, use, json));
                  json.writeEndArray();
                }));
  }

  private static Asked inUrl(Exchange exchange) {
    long hours = hours(exchange.parameter("back_scan"));
    List<Sub> subs = new ArrayList<>();
    for (String series : exchange.parameters("timeseries")) {
      if (series.isEmpty()) {
        throw OpenTsdbError.amid("Metric cannot be null or empty");
      }
      Map<String, String> tags = new TreeMap<>();
      try {
        subs.add(new Sub(QueryWords.metricAndTags(series, tags), tags, List.of()));
      } catch (IllegalArgumentException e) {
        throw new OpenTsdbError(500, String.valueOf(e.getMessage()));
      }
    }
    for (String tsuids : exchange.parameters("tsuids")) {
      subs.add(new Sub(null, Map.of(), Arrays.asList(tsuids.split(","))));
    }
    return new Asked(subs, exchange.parameter("resolve") != null, hours);
  }

  private static long hours(@Nullable String backScan) {
    try {
      return backScan == null ? 0 : Integer.parseInt(backScan);
    } catch (NumberFormatException e) {
      throw new OpenTsdbError(400, "Unable to parse back_scan parameter");
    }
  }

  private static Asked posted(Exchange exchange) throws IOException {
    JsonBody body = JsonBody.read(exchange.wholeBody(), exchange.memory());
    body.requireOnly("queries", "resolveNames", "backScan");
    List<Sub> subs = new ArrayList<>();
    for (JsonBody sub : body.objects("queries")) {
      sub.requireOnly("metric", "tags", "tsuids");
      List<String> tsuids = sub.texts("tsuids");
      subs.add(new Sub(sub.text("metric"), sub.map("tags"), tsuids == null ? List.of() : tsuids));
    }
    long hours = body.integer("backScan", 0);
    if (hours != (int) hours) {
      throw JsonBody.wrong("'backScan' is a number of hours of 32 bits");
    }
    return new Asked(subs, body.is("resolveNames"), hours);
  }

  private void write(Sub sub, Asked asked, Dataset dataset, QueryUse use, JsonGenerator json) {
    UidNames uids = new UidNames(dataset, use);
    for (String tsuid : sub.tsuids()) {
      uids.require(tsuid.strip());
      Series series = uids.series(tsuid);
      List<TagFilter> filters = new ArrayList<>();
      series.labels().forEach((name, value) -> filters.add(new TagFilter.Equal(name, value)));
      read(series.metric(), filters, series.labels(), asked, dataset, uids, use, json);
    }
    if (!sub.tsuids().isEmpty()) {
      return;
    }
    String metric = sub.metric();
    if (metric == null || metric.isEmpty()) {
      throw OpenTsdbError.amid("Metric cannot be null or empty");
    }
    Names names = new Names(dataset, use);
    names.require(Tsuid.Kind.METRIC, metric);
    List<TagFilter> filters = new ArrayList<>();
    sub.tags()
        .forEach((name, value) -> {
          names.require(Tsuid.Kind.TAGK, name);
          names.require(Tsuid.Kind.TAGV, value);
          filters.add(new TagFilter.Equal(name, value));
        });
    if (asked.backScan() > 0 && sub.tags().isEmpty()) {
      throw OpenTsdbError.amid("Tags cannot be null or empty when getting a TSUID");
    }
    // Only a search in hours takes the tags for those of one series, as in OpenTSDB.
    Map<String, String> only = asked.backScan() > 0 ? sub.tags() : null;
    read(metric, filters, only, asked, dataset, uids, use, json);
  }

  /**
   * Writes the newest points of some series.
   *
   * @param only the exact tags that a series must have; null for any
   */
  private void read(
      String metric,
      List<TagFilter> filters,
      @Nullable Map<String, String> only,
      Asked asked,
      Dataset dataset,
      UidNames uids,
      QueryUse use,
      JsonGenerator json) {
    Selector selector = Selector.metric(metric, filters.toArray(TagFilter[]::new));
    ReadRequest request =
        new ReadRequest(
            selector,
            times(asked.backScan(), dataset.resolution()),
            null,
            Versions.LATEST,
            Kinds.ONE,
            Order.SERIES_BY_SERIES,
            SAMPLES,
            false,
            new Budget(use.limits().cells(), use.limits().bytes()));
    try (RunCursor runs = use.runs(dataset).read(request)) {
      Series done = null;
      for (Run run = runs.next(); run != null; run = runs.next()) {
        Series series = run.series();
        boolean wanted = only == null || series.labels().equals(only);
        int newest = newest(run.samples());
        if (wanted && newest >= 0 && !series.equals(done)) {
          done = series;
          use.pointsReturned(1);
          write(series, run.samples(), newest, asked.resolve(), dataset.resolution(), uids, json);
        }
      }
    }
  }

  private TimeRange times(long backScan, Resolution resolution) {
    if (backScan <= 0) {
      return TimeRange.ALL;
    }
    long hour = Math.floorDiv(context.clock().millis(), HOUR);
    return new TimeRange(
        Resolution.MILLISECONDS.convert(Math.max(0, hour - backScan) * HOUR, resolution),
        Resolution.MILLISECONDS.convert((hour + 1) * HOUR, resolution));
  }

  /** Returns the index of the newest number; -1 if there is none. */
  private static int newest(Samples samples) {
    for (int i = samples.size() - 1; i >= 0; i--) {
      boolean number =
          switch (samples.kind()) {
            case INT64 -> true;
            case DOUBLE -> !StaleMarker.is(samples.doubleAt(i));
            case STRING -> false;
          };
      if (number) {
        return i;
      }
    }
    return -1;
  }

  private static void write(
      Series series,
      Samples samples,
      int index,
      boolean resolve,
      Resolution resolution,
      UidNames uids,
      JsonGenerator json) {
    json.writeStartObject();
    if (resolve) {
      json.writeStringProperty("metric", series.metric());
    }
    json.writeNumberProperty(
        "timestamp", resolution.convert(samples.time(index), Resolution.MILLISECONDS));
    json.writeStringProperty(
        "value",
        samples.kind() == Kind.INT64
            ? Long.toString(samples.longAt(index))
            : Double.toString(samples.doubleAt(index)));
    if (resolve) {
      json.writeObjectPropertyStart("tags");
      series.labels().forEach(json::writeStringProperty);
      json.writeEndObject();
    }
    json.writeStringProperty("tsuid", uids.tsuid(series.metric(), series.labels()));
    json.writeEndObject();
  }
}
