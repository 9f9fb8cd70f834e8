package dev.varve.server.heroic.query;

import dev.varve.engine.Dataset;
import dev.varve.query.running.QueryUse;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.heroic.json.HeroicJson;
import dev.varve.server.heroic.json.Node;
import dev.varve.server.heroic.json.NodeReader;
import dev.varve.server.http.Exchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Answers {@code /query/metrics} and {@code /query/batch}. */
public final class QueryAnswers {
  private final DialectContext context;
  private final String language;

  /**
   * Creates the answers.
   *
   * @param language under which queries are counted
   */
  public QueryAnswers(DialectContext context, String language) {
    this.context = context;
    this.language = language;
  }

  /** Answers one query, as JSON or in the language. */
  public void metrics(Exchange exchange) throws IOException {
    requireClient(exchange);
    Dataset dataset = context.dataset(exchange);
    String text = body(exchange);
    QueryReader reader = new QueryReader(context.clock().millis());
    PreparedQuery query =
        isText(exchange) ? reader.text(text) : reader.json(node(text, exchange), null);
    context.query(
        exchange,
        dataset,
        language,
        text,
        use -> {
          QueryResult result = new QueryRunner(dataset, use).run(query);
          HeroicJson.answer(exchange, json -> new ResultJson(json, use).write(result));
        });
  }

  /** Answers several queries, each under its name. */
  public void batch(Exchange exchange) throws IOException {
    requireClient(exchange);
    Dataset dataset = context.dataset(exchange);
    String text = body(exchange);
    QueryReader reader = new QueryReader(context.clock().millis());
    Map<String, PreparedQuery> prepared = reader.batch(node(text, exchange));
    context.query(
        exchange, dataset, language, text, use -> answer(exchange, dataset, prepared, use));
  }

  private static void answer(
      Exchange exchange, Dataset dataset, Map<String, PreparedQuery> queries, QueryUse use) {
    QueryRunner runner = new QueryRunner(dataset, use);
    Map<String, QueryResult> results = new LinkedHashMap<>();
    queries.forEach((name, query) -> results.put(name, runner.run(query)));
    HeroicJson.answer(
        exchange,
        json -> {
          json.writeStartObject();
          json.writeObjectPropertyStart("results");
          results.forEach((name, result) -> {
            json.writeName(name);
            new ResultJson(json, use).write(result);
          });
          json.writeEndObject();
          json.writeEndObject();
        });
  }

  private static void requireClient(Exchange exchange) {
    String client = exchange.header("X-Client-Id");
    if (client == null || client.isEmpty()) {
      throw HeroicError.anonymous();
    }
  }

  private static boolean isText(Exchange exchange) {
    String type = exchange.header("Content-Type");
    return type != null && type.startsWith("text/plain");
  }

  private static String body(Exchange exchange) throws IOException {
    byte[] body = exchange.wholeBody();
    // The query keeps its text.
    exchange.memory().hold(2L * body.length);
    return new String(body, StandardCharsets.UTF_8);
  }

  private static Node node(String text, Exchange exchange) {
    return NodeReader.read(text.getBytes(StandardCharsets.UTF_8), exchange.memory());
  }
}
