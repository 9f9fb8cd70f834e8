package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.engine.NamedTexts;
import dev.varve.engine.ServiceTexts;
import dev.varve.model.Kind;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.query.running.QueryUse;
import dev.varve.server.dialect.CatalogQuestion;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.WriteBudget;
import dev.varve.server.opentsdb.query.JsonAnswer;
import dev.varve.server.opentsdb.query.JsonBody;
import dev.varve.server.opentsdb.query.Names;
import dev.varve.server.opentsdb.query.NoteKeys;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import dev.varve.server.opentsdb.query.QueryWords;
import dev.varve.server.opentsdb.query.Tsuid;
import dev.varve.server.opentsdb.query.UidNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * {@code /api/uid/tsmeta}: notes about series, kept by TSUID: in the table of OpenTSDB if it is
 * attached, else in the home of the dataset.
 */
final class TsMetaRoutes {
  private static final String SERVICE = "_TsMeta";
  private static final String KEY = "tsuid";

  /** The key in OpenTSDB's table. */
  private static final String META = "ts_meta";

  /** Servers that write one note at once take turns; more attempts than this mean a fault. */
  private static final int ATTEMPTS_MAX = 100;

  private final DialectContext context;

  TsMetaRoutes(DialectContext context) {
    this.context = context;
  }

  /** The TSUID and the notes that a request sends. */
  private record Asked(@Nullable String tsuid, TsMeta meta) {}

  /**
   * The notes and names of a dataset, during one request. TSUIDs are those that the user knows.
   *
   * @param dataset as the user may use it
   * @param whole the same dataset with all its series
   */
  private record Known(Dataset dataset, Dataset whole, UidNames uids, NoteKeys keys, QueryUse use) {
    @Nullable String text(String tsuid) {
      return kept(key(tsuid));
    }

    @Nullable String text(Series series) {
      return kept(keys.tsuid(series));
    }

    private @Nullable String kept(String key) {
      NamedTexts original = whole.originals().seriesTexts();
      ServiceTexts.Text text =
          original == null
              ? whole.services().get(SERVICE, KEY, key)
              : original.get(SERVICE, key, META);
      return text == null ? null : text.text();
    }

    boolean putIf(String tsuid, @Nullable String expected, TsMeta meta) {
      NamedTexts original = whole.originals().seriesTexts();
      String key = key(tsuid);
      String text = meta.toStoredJson(key);
      return original == null
          ? whole.services().putIf(SERVICE, KEY, key, expected, text)
          : original.putIf(SERVICE, key, META, expected, text);
    }

    void delete(String tsuid) {
      NamedTexts original = whole.originals().seriesTexts();
      if (original == null) {
        whole.services().delete(SERVICE, KEY, key(tsuid));
      } else {
        original.delete(SERVICE, key(tsuid), META);
      }
    }

    /** Returns the TSUID under which notes are kept. */
    private String key(String tsuid) {
      if (whole.originals().seriesTexts() != null) {
        uids.require(normal(tsuid));
      }
      String key = keys.tsuid(tsuid);
      if (whole.originals().seriesTexts() != null && key.length() % 2 != 0) {
        throw OpenTsdbError.amid("hexBinary needs to be even-length: " + key);
      }
      return key;
    }

    private void write(String tsuid, TsMeta meta, JsonGenerator json) {
      json.writeStartObject();
      json.writeStringProperty("tsuid", normal(tsuid));
      List<UidNames.Part> parts = uids.parts(normal(tsuid));
      json.writeName("metric");
      write(parts.getFirst(), json);
      json.writeArrayPropertyStart("tags");
      parts.subList(1, parts.size()).forEach(part -> write(part, json));
      json.writeEndArray();
      meta.write(json);
      json.writeEndObject();
    }

    private void write(UidNames.Part part, JsonGenerator json) {
      String kept = keys.uid(part.kind(), part.uid(), part.name());
      NameNotes.Named named = new NameNotes.Named(part.kind(), kept, part.name());
      UidMetaRoutes.read(new NameNotes(whole).get(named))
          .write(part.uid(), part.kind(), part.name(), json);
    }
  }

  private static String normal(String tsuid) {
    return tsuid.strip().toUpperCase(Locale.ROOT);
  }

  private static TsMeta read(String text) {
    return TsMeta.of(JsonBody.read(text.getBytes(StandardCharsets.UTF_8), WriteBudget.unlimited()));
  }

  /** Answers a request from the notes and names of its dataset. */
  private interface Work {
    void on(Known known) throws IOException;
  }

  private void run(Exchange exchange, String text, Work work) throws IOException {
    Dataset dataset = context.dataset(exchange);
    Dataset whole = context.wholeDataset(exchange);
    context.query(
        exchange,
        dataset,
        Telnet.NAME,
        "ts meta " + text,
        use -> {
          NoteKeys keys = new NoteKeys(dataset, whole, use);
          work.on(new Known(dataset, whole, new UidNames(dataset, use), keys, use));
        });
  }

  /** {@code GET}: the notes about a series, or about those of a metric with some tags. */
  void get(Exchange exchange) throws IOException {
    String tsuid = exchange.parameter("tsuid");
    if (tsuid == null) {
      ofMetric(exchange, UidMetaRoutes.required(exchange, "m"));
      return;
    }
    run(
        exchange,
        tsuid,
        known -> {
          String text = known.text(tsuid);
          if (text == null) {
            throw new OpenTsdbError(404, "Could not find Timeseries meta data");
          }
          answer(known, tsuid, read(text), exchange);
        });
  }

  private void ofMetric(Exchange exchange, String query) throws IOException {
    Map<String, String> tags = new LinkedHashMap<>();
    String metric = metric(query, tags);
    run(
        exchange,
        query,
        known -> {
          requireNames(known, metric, tags, 404);
          List<TagFilter> filters = new ArrayList<>();
          tags.forEach((name, value) -> filters.add(new TagFilter.Equal(name, value)));
          Selector selector = Selector.metric(metric, filters.toArray(TagFilter[]::new));
          Map<String, TsMeta> found = new LinkedHashMap<>();
          try (Stream<Series> series =
              new CatalogQuestion(known.use())
                  .series(known.dataset(), List.of(selector), null, Kind.ALL, 0)) {
            series.forEach(one -> {
              String tsuid = known.uids().tsuid(one.metric(), one.labels());
              String text = known.text(one);
              if (text != null) {
                known.use().held(2L * text.length(), "notes about series");
                found.put(tsuid, read(text));
              }
            });
          }
          JsonAnswer.write(
              exchange,
              json -> {
                json.writeStartArray();
                found.forEach((tsuid, meta) -> known.write(tsuid, meta, json));
                json.writeEndArray();
              });
        });
  }

  private static String metric(String query, Map<String, String> tags) {
    try {
      return QueryWords.metricAndTags(query, tags);
    } catch (IllegalArgumentException e) {
      throw new OpenTsdbError(400, String.valueOf(e.getMessage()));
    }
  }

  private static void requireNames(
      Known known, String metric, Map<String, String> tags, int status) {
    Names names = new Names(known.dataset(), known.use());
    try {
      tags.forEach((name, value) -> {
        names.require(Tsuid.Kind.TAGK, name);
        names.require(Tsuid.Kind.TAGV, value);
      });
      names.require(Tsuid.Kind.METRIC, metric);
    } catch (OpenTsdbError e) {
      throw status == 404
          ? new OpenTsdbError(404, "Unable to find one of the UIDs", String.valueOf(e.getMessage()))
          : e;
    }
  }

  private static void answer(Known known, String tsuid, TsMeta meta, Exchange exchange) {
    JsonAnswer.write(exchange, json -> known.write(tsuid, meta, json));
  }

  /** {@code POST} merges notes, {@code PUT} replaces them. */
  void save(Exchange exchange) throws IOException {
    Asked asked = asked(exchange);
    boolean replaces = exchange.method().equals("PUT");
    String named = asked.tsuid();
    if (named != null && !named.isEmpty()) {
      if (asked.meta().isEmpty()) {
        exchange.answer(304, JsonAnswer.TYPE, "");
        return;
      }
      run(
          exchange,
          named,
          known -> {
            if (known.text(named) == null) {
              // Unknown parts have an error of their own.
              known.uids().parts(normal(named));
              throw new OpenTsdbError(400, "Requested TSMeta did not exist");
            }
            answer(known, named, saved(known, named, asked.meta(), replaces), exchange);
          });
      return;
    }
    String query = UidMetaRoutes.required(exchange, "m");
    Map<String, String> tags = new LinkedHashMap<>();
    String metric = metric(query, tags);
    boolean create = "true".equals(exchange.parameter("create"));
    run(
        exchange,
        query,
        known -> {
          requireNames(known, metric, tags, 400);
          String tsuid = known.uids().tsuid(metric, tags);
          boolean exists = known.text(tsuid) != null;
          if (!exists && !create) {
            throw new OpenTsdbError(
                400, "Could not find TSMeta, specify \"create=true\" to create a new one.");
          }
          if (exists && asked.meta().isEmpty()) {
            exchange.answer(304, JsonAnswer.TYPE, "");
            return;
          }
          answer(known, tsuid, saved(known, tsuid, asked.meta(), replaces), exchange);
        });
  }

  private static TsMeta saved(Known known, String tsuid, TsMeta sent, boolean replaces) {
    for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      String before = known.text(tsuid);
      TsMeta next = sent.mergedInto(before == null ? TsMeta.NONE : read(before), replaces);
      try {
        if (known.putIf(tsuid, before, next)) {
          return next;
        }
      } catch (IllegalArgumentException e) {
        throw new OpenTsdbError(400, String.valueOf(e.getMessage()));
      }
    }
    throw new OpenTsdbError(
        503,
        "the notes about %s kept changing during %d attempts; send the request again"
            .formatted(tsuid, ATTEMPTS_MAX));
  }

  /** {@code DELETE}: deletes the notes about a series, if there are any. */
  void delete(Exchange exchange) throws IOException {
    String tsuid = asked(exchange).tsuid();
    if (tsuid == null || tsuid.isEmpty()) {
      throw new OpenTsdbError(400, "Unable to delete TSMeta information", "Missing UID");
    }
    run(
        exchange,
        tsuid,
        known -> {
          known.delete(tsuid);
          exchange.answer(204, JsonAnswer.TYPE, "");
        });
  }

  private static Asked asked(Exchange exchange) throws IOException {
    byte[] posted = exchange.wholeBody();
    if (posted.length > 0) {
      JsonBody body = JsonBody.read(posted, exchange.memory());
      return new Asked(body.text("tsuid"), TsMeta.of(body));
    }
    String retention = exchange.parameter("retention");
    long days;
    try {
      days = retention == null || retention.isEmpty() ? 0 : Integer.parseInt(retention);
    } catch (NumberFormatException e) {
      throw new OpenTsdbError(400, "Unable to parse 'retention' value");
    }
    return new Asked(
        exchange.parameter("tsuid"),
        new TsMeta(
            orEmpty(exchange.parameter("display_name")),
            orEmpty(exchange.parameter("description")),
            orEmpty(exchange.parameter("notes")),
            0,
            null,
            orEmpty(exchange.parameter("units")),
            orEmpty(exchange.parameter("data_type")),
            days,
            TsMeta.number(exchange.parameter("max"), "max"),
            TsMeta.number(exchange.parameter("min"), "min")));
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
