package dev.varve.bench.compare;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Puts questions to a server in its language. */
record Asking(Connection connection, Language language) {
  /** Asks; the connection then has the answer. */
  void ask(Question question) throws IOException {
    String text = question.text(language);
    switch (language) {
      case PROMQL -> PromQl.ask(connection, question, text, "");
      // Otherwise it answers from a cache, and moves the times to multiples of the step.
      case METRICSQL -> PromQl.ask(connection, question, text, "&nocache=1");
      case INFLUXQL -> get("/query?db=main&epoch=ms&q=", text);
      case SQL -> get("/exec?query=", text);
    }
  }

  private void get(String target, String text) throws IOException {
    String encoded = URLEncoder.encode(text, StandardCharsets.UTF_8);
    int status = connection.send("GET", target + encoded, "", new byte[0], 0);
    // InfluxDB answers 200 to a query that fails, too.
    if (status != 200 || connection.text(60).contains("\"error\"")) {
      throw new IOException(
          "%s answered %d: %s to %s".formatted(target, status, connection.text(500), text));
    }
  }

  /** Returns the answer that the connection has to a question. */
  Answer answer(Question question) throws IOException {
    String text = connection.text();
    return switch (language) {
      case PROMQL, METRICSQL -> Answer.of(text);
      case INFLUXQL -> Tables.ofInfluxDb(text, question);
      case SQL -> Tables.ofQuestDb(text, question);
    };
  }
}
