package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.query.running.QueryUse;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Caller;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.Right;
import dev.varve.server.opentsdb.annotation.QueryNotes;
import dev.varve.server.opentsdb.expression.Expressions;
import dev.varve.server.opentsdb.expression.Functions;
import dev.varve.server.opentsdb.histogram.Histograms;
import dev.varve.server.opentsdb.query.Group;
import dev.varve.server.opentsdb.query.GroupNotes;
import dev.varve.server.opentsdb.query.HistogramScan;
import dev.varve.server.opentsdb.query.JsonAnswer;
import dev.varve.server.opentsdb.query.JsonBody;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import dev.varve.server.opentsdb.query.QueryAnswer;
import dev.varve.server.opentsdb.query.QueryBody;
import dev.varve.server.opentsdb.query.Scan;
import dev.varve.server.opentsdb.query.Sources;
import dev.varve.server.opentsdb.query.TsQuery;
import dev.varve.server.opentsdb.query.UidNames;
import dev.varve.server.opentsdb.query.UrlQuery;
import dev.varve.server.opentsdb.rollup.Rollups;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** {@code /api/query}. */
final class Queries {
  /** Memory of a parsed query per character of its text, in bytes. */
  private static final int PARSED_PER_CHARACTER = 32;

  private final DialectContext context;

  Queries(DialectContext context) {
    this.context = context;
  }

  /** A query with the text under which it is listed. */
  record Asked(TsQuery query, String text) {}

  /**
   * {@code GET|POST|DELETE /api/query}. A delete answers with the deleted points: those of the
   * requested times. OpenTSDB deletes whole hours.
   */
  void query(Exchange exchange) throws IOException {
    // A delete answers with what it deletes.
    exchange.require(Right.READ);
    Asked asked = exchange.method().equals("POST") ? posted(exchange) : inUrl(exchange);
    boolean deletes = isDelete(exchange) || deletes(asked);
    if (deletes) {
      exchange.requireOrigin();
      context.ensureMayDelete(exchange);
    }
    TsQuery.Checked checked = asked.query().check(context.clock().millis());
    Dataset dataset = context.dataset(exchange);
    Dataset whole = context.wholeDataset(exchange);
    Sources sources = new Sources(rollups(context, exchange.caller(), dataset));
    Histograms histograms = histograms(context, exchange.caller(), dataset);
    run(
        exchange,
        dataset,
        asked.text(),
        use -> {
          QueryNotes.prepare(dataset, checked, use);
          List<Group> groups = new ArrayList<>();
          for (TsQuery.Part part : checked.parts()) {
            groups.addAll(groups(sources, histograms, checked, part, use));
          }
          if (deletes) {
            checked.parts().forEach(part -> Scan.delete(dataset, checked, part, use));
          }
          boolean arrays = exchange.parameter("arrays") != null;
          UidNames uids = new UidNames(dataset, use);
          GroupNotes notes = QueryNotes.of(dataset, whole, checked, uids, use);
          JsonAnswer.write(
              exchange,
              json -> new QueryAnswer(json, checked, arrays, notes, uids, use).write(groups));
        });
  }

  /** {@code GET /api/query/gexp}: functions over queries. */
  void functions(Exchange exchange) throws IOException {
    List<String> expressions = exchange.parameters("exp");
    expressions.forEach(
        text -> exchange.memory().hold((long) PARSED_PER_CHARACTER * text.length()));
    Functions.Parsed parsed = Functions.parse(expressions);
    // Equal queries stay apart here: an expression names its queries by their places.
    TsQuery.Checked checked =
        new UrlQuery(exchange::parameters).query(parsed.queries()).check(context.clock().millis());
    Dataset dataset = context.dataset(exchange);
    Dataset whole = context.wholeDataset(exchange);
    Sources sources = new Sources(rollups(context, exchange.caller(), dataset));
    Histograms histograms = histograms(context, exchange.caller(), dataset);
    run(
        exchange,
        dataset,
        "gexp " + String.join(" ", expressions),
        use -> {
          QueryNotes.prepare(dataset, checked, use);
          List<List<Group>> results = new ArrayList<>();
          for (TsQuery.Part part : checked.parts()) {
            results.add(groups(sources, histograms, checked, part, use));
          }
          UidNames uids = new UidNames(dataset, use);
          List<Group> groups = Functions.compute(parsed, checked, results, use);
          boolean arrays = exchange.parameter("arrays") != null;
          GroupNotes notes = QueryNotes.of(dataset, whole, checked, uids, use);
          JsonAnswer.write(
              exchange,
              json -> new QueryAnswer(json, checked, arrays, notes, uids, use).write(groups));
        });
  }

  /** {@code POST /api/query/exp}: formulas of queries. */
  void expressions(Exchange exchange) throws IOException {
    byte[] body = exchange.wholeBody();
    exchange.memory().hold(2L * body.length);
    long now = context.clock().millis();
    Expressions expressions = expressions(body, exchange, now);
    TsQuery.Checked checked = checked(expressions.query(), now);
    Dataset dataset = context.dataset(exchange);
    Sources sources = new Sources(rollups(context, exchange.caller(), dataset));
    run(
        exchange,
        dataset,
        "exp " + new String(body, StandardCharsets.UTF_8),
        use -> {
          List<List<Group>> results = new ArrayList<>();
          for (TsQuery.Part part : checked.parts()) {
            results.add(Scan.groups(sources, checked, part, use));
          }
          JsonAnswer.write(exchange, json -> expressions.answer(checked, results, use, json));
        });
  }

  private static Expressions expressions(byte[] body, Exchange exchange, long now) {
    try {
      return Expressions.read(JsonBody.read(body, exchange.memory()), now);
    } catch (OpenTsdbError e) {
      String message = String.valueOf(e.getMessage());
      // OpenTSDB does not expect a malformed document or formula here.
      throw message.startsWith("Unable to parse") || message.startsWith("Invalid expression")
          ? new OpenTsdbError(500, message, e.details())
          : e;
    }
  }

  /** Checks the query of expressions. As in OpenTSDB, its errors have the status 500. */
  private static TsQuery.Checked checked(TsQuery query, long now) {
    try {
      return query.check(now);
    } catch (OpenTsdbError e) {
      throw new OpenTsdbError(500, String.valueOf(e.getMessage()));
    }
  }

  /** Returns whether the request is a delete: by its method, or by {@code method_override}. */
  private static boolean isDelete(Exchange exchange) {
    return exchange.method().equals("DELETE")
        || "delete".equalsIgnoreCase(exchange.parameter("method_override"));
  }

  private static boolean deletes(Asked asked) {
    return asked.query().options().delete();
  }

  /**
   * Returns the rights that a query needs. A delete also reads, because it answers with the deleted
   * points.
   */
  static Set<Right> needs(Exchange exchange) throws IOException {
    boolean posted = exchange.method().equals("POST");
    return isDelete(exchange) || (posted && deletes(posted(exchange)))
        ? Set.of(Right.READ, Right.DELETE)
        : Set.of(Right.READ);
  }

  private static List<Group> groups(
      Sources sources,
      Histograms histograms,
      TsQuery.Checked checked,
      TsQuery.Part part,
      QueryUse use) {
    if (!part.sub().ofHistograms()) {
      return Scan.groups(sources, checked, part, use);
    }
    if (histograms.codec() == null) {
      throw OpenTsdbError.amid(
          "Histogram storage has not been enabled. Check the 'histograms' of the dataset.");
    }
    return HistogramScan.groups(histograms, sources.rollups(), checked, part, use);
  }

  /** Returns the histograms of a dataset, as a caller may use the dataset. */
  static Histograms histograms(DialectContext context, Caller caller, Dataset dataset) {
    return new Histograms(dataset, name -> context.beside(caller, name));
  }

  /** Returns the roll-ups of a dataset, as a caller may use the dataset. */
  static Rollups rollups(DialectContext context, Caller caller, Dataset dataset) {
    return new Rollups(dataset, name -> context.beside(caller, name));
  }

  /** Runs a query within the limits. */
  void run(Exchange exchange, Dataset dataset, String text, DialectContext.QueryWork work)
      throws IOException {
    context.query(exchange, dataset, Telnet.NAME, text, work);
  }

  private static Asked posted(Exchange exchange) throws IOException {
    byte[] body = exchange.wholeBody();
    exchange.memory().hold(2L * body.length);
    TsQuery query = QueryBody.read(JsonBody.read(body, exchange.memory()));
    return new Asked(query, new String(body, StandardCharsets.UTF_8));
  }

  private static Asked inUrl(Exchange exchange) {
    StringBuilder text = new StringBuilder();
    for (String name : List.of("tsuid", "m")) {
      exchange.parameters(name).forEach(value -> note(exchange, name, value, text));
    }
    return new Asked(new UrlQuery(exchange::parameters).query(), text.toString());
  }

  private static void note(Exchange exchange, String name, String value, StringBuilder text) {
    exchange.memory().hold((long) PARSED_PER_CHARACTER * (value.length() + 8));
    text.append(text.isEmpty() ? "" : " ").append(name).append('=').append(value);
  }
}
