package dev.varve.bench.compare;

import dev.varve.formats.json.Json;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.TreeSet;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Prometheus' query API. */
final class PromQl {
  private static final String FORM = "Content-Type: application/x-www-form-urlencoded\r\n";

  private PromQl() {}

  /** Counts the samples in the range of a data set, of all metrics that it may be stored as. */
  static long count(int port, DataSet data) throws IOException {
    TreeSet<String> metrics = new TreeSet<>();
    for (Entity entity : data.entities()) {
      // Varve keeps the fields of line protocol as fields of one metric.
      metrics.add(entity.measurement());
      entity.fields().forEach(field -> metrics.add(entity.metric(field)));
    }
    long all = 0;
    for (String metric : metrics) {
      long range = data.end() - DataSet.START;
      String query = "sum(count_over_time(%s[%dms]))".formatted(metric, range);
      all += (long) first(instant(port, query, data.end() - 1));
    }
    return all;
  }

  /** Returns the first value of an answer, or 0 if it has none. */
  private static double first(String answer) {
    try (JsonParser json = Json.parser(answer)) {
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        if (token == JsonToken.PROPERTY_NAME && json.currentName().equals("value")) {
          json.nextToken();
          json.nextToken();
          json.nextToken();
          return Double.parseDouble(json.getString());
        }
      }
    }
    return 0;
  }

  private static String instant(int port, String query, long time) throws IOException {
    try (Connection connection = new Connection(port)) {
      ask(connection, Question.ofInstant(Question.shared(query), time), query, "");
      return connection.text();
    }
  }

  /**
   * Asks a question, whose answer the connection then has.
   *
   * @param more parameters, each with {@code &} before it
   */
  static void ask(Connection connection, Question question, String text, String more)
      throws IOException {
    String form = "query=" + URLEncoder.encode(text, StandardCharsets.UTF_8) + more;
    String target = "/api/v1/query";
    if (question.step() == 0) {
      form += "&time=" + seconds(question.end());
    } else {
      target = "/api/v1/query_range";
      form +=
          "&start=%s&end=%s&step=%s"
              .formatted(
                  seconds(question.start()), seconds(question.end()), seconds(question.step()));
    }
    byte[] body = form.getBytes(StandardCharsets.UTF_8);
    int status = connection.send("POST", target, FORM, body, body.length);
    if (status != 200) {
      throw new IOException(
          "%s answered %d: %s to %s".formatted(target, status, connection.text(), text));
    }
  }

  /** Returns a time in seconds with three digits. */
  private static String seconds(long millis) {
    return "%d.%03d".formatted(millis / 1_000, millis % 1_000);
  }
}
