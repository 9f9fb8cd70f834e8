package dev.varve.server.kairosdb;

import dev.varve.model.Resolution;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import tools.jackson.core.JacksonException;

/** A compiled query and its original text. */
record Asked(QueryRequest request, String text) {
  /**
   * Reads the query in the body of a POST, or in the parameter {@code query}.
   *
   * @throws HttpError if it is invalid
   */
  static Asked read(Exchange exchange, Resolution resolution, Clock clock) throws IOException {
    QueryReader reader = new QueryReader(clock, resolution);
    try {
      if (exchange.method().equals("POST")) {
        byte[] body = exchange.wholeBody(Answers.encoding(exchange));
        // The query keeps its text.
        exchange.memory().hold(2L * body.length);
        return new Asked(
            reader.read(JsonTree.read(body, exchange.memory())),
            new String(body, StandardCharsets.UTF_8));
      }
      String query = exchange.parameter("query");
      if (query == null) {
        throw HttpError.badRequest("query json must not be null or empty");
      }
      byte[] text = query.getBytes(StandardCharsets.UTF_8);
      return new Asked(reader.read(JsonTree.read(text, exchange.memory())), query);
    } catch (JacksonException e) {
      throw HttpError.badRequest(JsonTree.reason(e));
    }
  }
}
