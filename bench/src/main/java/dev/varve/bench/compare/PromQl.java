package dev.varve.bench.compare;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import dev.varve.formats.json.Json;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.TreeSet;

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

  /**
   * Asks for the values at one time.
   *
   * @param time ms since 1970
   */
  static String instant(int port, String query, long time) throws IOException {
    try (Connection connection = new Connection(port)) {
      String form = "query=%s&time=%s&nocache=1".formatted(encoded(query), seconds(time));
      return ask(connection, "/api/v1/query", form);
    }
  }

  private static String ask(Connection connection, String target, String form) throws IOException {
    byte[] body = form.getBytes(StandardCharsets.UTF_8);
    int status = connection.send("POST", target, FORM, body, body.length);
    if (status != 200) {
      throw new IOException("%s answered %d: %s".formatted(target, status, connection.text()));
    }
    return connection.text();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /** Returns a time in seconds with three digits. */
  static String seconds(long millis) {
    return "%d.%03d".formatted(millis / 1_000, millis % 1_000);
  }
}
