package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.formats.json.Json;
import dev.varve.server.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.opentsdb.query.Group;
import dev.varve.server.opentsdb.query.JsonBody;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import dev.varve.server.opentsdb.query.QueryAnswer;
import dev.varve.server.opentsdb.query.QueryBody;
import dev.varve.server.opentsdb.query.QueryWords;
import dev.varve.server.opentsdb.query.Scan;
import dev.varve.server.opentsdb.query.SubQuery;
import dev.varve.server.opentsdb.query.TsQuery;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;

/** {@code /api/query}. */
final class Queries {
  /** Does not close what is open, so that a truncated answer is recognisable as such. */
  private static final JsonFactory FACTORY =
      Json.FACTORY.rebuild().disable(StreamWriteFeature.AUTO_CLOSE_CONTENT).build();

  /** Memory of a parsed query per character of its text, in bytes. */
  private static final int PARSED_PER_CHARACTER = 32;

  private final DialectContext context;

  Queries(DialectContext context) {
    this.context = context;
  }

  /** A query with the text under which it is listed. */
  record Asked(TsQuery query, String text) {}

  /** {@code GET|POST /api/query}. */
  void query(Exchange exchange) throws IOException {
    refuseDelete(exchange);
    Asked asked = exchange.method().equals("POST") ? posted(exchange) : inUrl(exchange);
    if (asked.query().options().delete()) {
      throw deletes();
    }
    TsQuery.Checked checked = asked.query().check(context.clock().millis());
    Dataset dataset = context.dataset(exchange);
    run(
        exchange,
        dataset,
        asked.text(),
        use -> {
          List<Group> groups = new ArrayList<>();
          for (TsQuery.Part part : checked.parts()) {
            refuseHistogram(part.sub());
            groups.addAll(Scan.groups(dataset, checked, part, use));
          }
          boolean arrays = exchange.parameter("arrays") != null;
          answer(exchange, json -> new QueryAnswer(json, checked, arrays, use).write(groups));
        });
  }

  /** {@code DELETE /api/query}. */
  void delete(Exchange exchange) {
    throw deletes();
  }

  /** Refuses the parameter by which a client without other methods asks for a delete. */
  private static void refuseDelete(Exchange exchange) {
    if ("delete".equalsIgnoreCase(exchange.parameter("method_override"))) {
      throw deletes();
    }
  }

  private static OpenTsdbError deletes() {
    return new OpenTsdbError(
        400,
        "deletes are not available yet",
        "Deleting data is not enabled (tsd.http.query.allow_delete=false)");
  }

  private static void refuseHistogram(SubQuery sub) {
    if (sub.percentiles() != null || sub.showHistogramBuckets()) {
      throw OpenTsdbError.amid(
          "histograms are not stored, so a query has neither percentiles nor buckets of them");
    }
  }

  /** Runs a query within the limits. */
  void run(Exchange exchange, Dataset dataset, String text, DialectContext.QueryWork work)
      throws IOException {
    context.query(exchange, dataset, Telnet.NAME, text, work);
  }

  /** Answers with a document. */
  static void answer(Exchange exchange, Consumer<JsonGenerator> document) {
    OutputStream out = exchange.answer(OpenTsdb.CONTENT_TYPE);
    try (JsonGenerator json =
        FACTORY.createGenerator(ObjectWriteContext.empty(), out, JsonEncoding.UTF8)) {
      document.accept(json);
    }
  }

  private Asked posted(Exchange exchange) throws IOException {
    byte[] body = exchange.wholeBody();
    exchange.memory().hold(2L * body.length);
    TsQuery query = QueryBody.read(JsonBody.read(body, exchange.memory()));
    return new Asked(query, new String(body, StandardCharsets.UTF_8));
  }

  private static Asked inUrl(Exchange exchange) {
    List<SubQuery> subs = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    for (String tsuid : exchange.parameters("tsuid")) {
      note(exchange, "tsuid", tsuid, text);
      subs.add(QueryWords.tsuids(tsuid));
    }
    for (String metric : exchange.parameters("m")) {
      note(exchange, "m", metric, text);
      subs.add(QueryWords.metric(metric));
    }
    return new Asked(inUrl(exchange, subs), text.toString());
  }

  private static void note(Exchange exchange, String name, String value, StringBuilder text) {
    exchange.memory().hold((long) PARSED_PER_CHARACTER * (value.length() + 8));
    text.append(text.isEmpty() ? "" : " ").append(name).append('=').append(value);
  }

  /** Returns the query of a URL with the given sub queries; equal ones become one. */
  static TsQuery inUrl(Exchange exchange, List<SubQuery> subs) {
    String start = exchange.parameter("start");
    if (start == null || start.isEmpty()) {
      throw new OpenTsdbError(400, "Missing parameter <code>start</code>");
    }
    if (subs.isEmpty()) {
      throw new OpenTsdbError(400, "Missing sub queries");
    }
    Set<SubQuery> different = new LinkedHashSet<>(subs);
    return new TsQuery(
        start,
        exchange.parameter("end"),
        null,
        false,
        List.copyOf(different),
        new TsQuery.Options(
            has(exchange, "padding"),
            has(exchange, "no_annotations"),
            has(exchange, "global_annotations"),
            has(exchange, "show_tsuids"),
            has(exchange, "ms"),
            has(exchange, "show_query"),
            has(exchange, "show_stats"),
            has(exchange, "show_summary"),
            false));
  }

  private static boolean has(Exchange exchange, String parameter) {
    return exchange.parameter(parameter) != null;
  }
}
