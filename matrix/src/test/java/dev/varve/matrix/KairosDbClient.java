package dev.varve.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * A client of KairosDB's HTTP API that sends the same requests to KairosDB and to Varve. Only the
 * address decides which of them answers.
 */
final class KairosDbClient {
  private static final JsonFactory JSON = new JsonFactory();

  private final URI address;
  private final HttpClient http = HttpClient.newHttpClient();

  KairosDbClient(URI address) {
    this.address = address;
  }

  /** Posts points; KairosDB answers before it has written them. */
  void put(String metric, Tags tags, Map<Long, Value> points) {
    put(metric, tags, points, 0);
  }

  /**
   * Posts points with a time to live.
   *
   * @param ttl in seconds; 0 for none
   */
  void put(String metric, Tags tags, Map<Long, Value> points, int ttl) {
    String pairs =
        points.entrySet().stream()
            .map(point -> "[%d,%s]".formatted(point.getKey(), json(point.getValue())))
            .collect(Collectors.joining(","));
    String body =
        "[{\"name\":%s,\"tags\":%s%s,\"datapoints\":[%s]}]"
            .formatted(text(metric), json(tags), ttl == 0 ? "" : ",\"ttl\":" + ttl, pairs);
    HttpResponse<String> answer = send("POST", "/api/v1/datapoints", body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    // Varve sets this header if it ignores a time to live.
    assertThat(answer.headers().firstValue("X-Varve-Ttl-Ignored")).isEmpty();
  }

  /** Returns the points of the series with a tag, as they are {@linkplain #shown shown}. */
  NavigableMap<Long, Value> points(String metric, String tag, String value, TimeRange times) {
    HttpResponse<String> answer =
        send("POST", "/api/v1/datapoints/query", query(metric, Tags.of(tag, value), times));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return points(answer.body());
  }

  /** Deletes the points of a metric in a range, with any tags or with some. */
  void delete(String metric, Tags tags, TimeRange times) {
    HttpResponse<String> answer =
        send("POST", "/api/v1/datapoints/delete", query(metric, tags, times));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
  }

  /** Returns the names of metrics as they are in the answer. */
  String metricNames() {
    return send("GET", "/api/v1/metricnames", "").body();
  }

  /** Keeps a text of the metadata service. */
  void keep(String key, String text) {
    HttpResponse<String> answer = send("POST", "/api/v1/metadata/service/keys/" + key, text);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
  }

  /** Returns a text of the metadata service; the error if there is none. */
  String kept(String key) {
    return send("GET", "/api/v1/metadata/service/keys/" + key, "").body();
  }

  /** Returns the keys of the texts, as they are in the answer. */
  String keptKeys() {
    return send("GET", "/api/v1/metadata/service/keys", "").body();
  }

  void drop(String key) {
    HttpResponse<String> answer = send("DELETE", "/api/v1/metadata/service/keys/" + key, "");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
  }

  private static String query(String metric, Tags tags, TimeRange times) {
    return "{\"start_absolute\":%d,\"end_absolute\":%d,\"metrics\":[{\"name\":%s,\"tags\":%s}]}"
        .formatted(times.from(), times.to() - 1, text(metric), json(tags));
  }

  HttpResponse<String> send(String method, String path, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(address.resolve(path))
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(request + " has no answer", e);
    }
  }

  /**
   * Returns all pairs of time and value of an answer, in which numbers and texts have separate
   * results.
   */
  private static NavigableMap<Long, Value> points(String answer) {
    NavigableMap<Long, Value> points = new TreeMap<>();
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), answer)) {
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        if (token == JsonToken.PROPERTY_NAME && json.currentName().equals("values")) {
          json.nextToken();
          while (json.nextToken() == JsonToken.START_ARRAY) {
            json.nextToken();
            long time = json.getLongValue();
            Value other = points.put(time, value(json, json.nextToken()));
            assertThat(other).as("another point at %d", time).isNull();
            json.nextToken();
          }
        }
      }
    }
    return points;
  }

  private static Value value(JsonParser json, JsonToken token) {
    return switch (token) {
      case VALUE_NUMBER_INT -> new Value.Int64(json.getLongValue());
      case VALUE_NUMBER_FLOAT -> new Value.Real(Double.parseDouble(json.getString()));
      case VALUE_STRING -> new Value.Text(json.getString());
      default -> throw new AssertionError("no value: " + token);
    };
  }

  /**
   * Returns values as an answer shows them: an integral double is printed without a decimal point.
   */
  static NavigableMap<Long, Value> shown(Map<Long, Value> points) {
    NavigableMap<Long, Value> shown = new TreeMap<>(points);
    shown.replaceAll((time, value) -> {
      String printed = value instanceof Value.Real real ? Double.toString(real.value()) : "";
      return printed.endsWith(".0")
          ? new Value.Int64(Long.parseLong(printed.substring(0, printed.length() - 2)))
          : value;
    });
    return shown;
  }

  private static String json(Value value) {
    return switch (value) {
      case Value.Int64 number -> Long.toString(number.value());
      case Value.Real number -> Double.toString(number.value());
      case Value.Text words -> text(words.value());
      case Value.Raw raw -> throw new IllegalArgumentException("no sample: " + raw);
    };
  }

  private static String json(Tags tags) {
    List<String> members = new ArrayList<>();
    tags.forEach((name, value) -> members.add(text(name) + ":" + text(value)));
    return "{" + String.join(",", members) + "}";
  }

  private static String text(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
