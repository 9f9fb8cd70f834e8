package dev.varve.query.promql.eval;

import dev.varve.devstores.Prometheus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** A real Prometheus with some series, queried over its HTTP API. */
final class OriginalPrometheus implements AutoCloseable {
  /**
   * Samples are sent in slices of time, because Prometheus rejects samples an hour older than the
   * newest.
   */
  static final long SLICE = 10 * 60_000;

  private static final JsonFactory JSON = new JsonFactory();

  private final Prometheus process;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private OriginalPrometheus(Prometheus process) {
    this.process = process;
  }

  static OriginalPrometheus with(List<RandomSeries.Made> series, Path directory) {
    OriginalPrometheus original =
        new OriginalPrometheus(
            Prometheus.start(
                directory,
                "global: {scrape_interval: 1m, evaluation_interval: 1m}\n",
                List.of(
                    "--web.enable-remote-write-receiver", "--storage.tsdb.retention.time=100y")));
    for (long from = RandomSeries.START; from < RandomSeries.END + SLICE; from += SLICE) {
      byte[] body = RemoteWriteBody.of(series, from, from + SLICE);
      if (body.length > 0) {
        original.write(body);
      }
    }
    return original;
  }

  String version() {
    return process.debianVersion();
  }

  private void write(byte[] body) {
    HttpResponse<String> response =
        send(
            HttpRequest.newBuilder(uri("/api/v1/write"))
                .header("Content-Encoding", "snappy")
                .header("Content-Type", "application/x-protobuf")
                .header("X-Prometheus-Remote-Write-Version", "0.1.0")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body)));
    if (response.statusCode() != 204) {
      throw new AssertionError(response.statusCode() + ": " + response.body());
    }
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + process.port() + path);
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Runs an instant query at a time in ms since 1970. */
  Answer instant(String query, long time) {
    return ask("/api/v1/query", "query=%s&time=%s".formatted(encoded(query), seconds(time)));
  }

  /** Runs a range query with times in ms since 1970. */
  Answer range(String query, long start, long end, long step) {
    return ask(
        "/api/v1/query_range",
        "query=%s&start=%s&end=%s&step=%s"
            .formatted(encoded(query), seconds(start), seconds(end), seconds(step)));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String seconds(long millis) {
    return "%d.%03d".formatted(millis / 1000, millis % 1000);
  }

  private Answer ask(String path, String form) {
    HttpResponse<String> response =
        send(
            HttpRequest.newBuilder(uri(path))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form)));
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), response.body())) {
      json.nextToken();
      return answer(json);
    }
  }

  private static Answer answer(JsonParser json) {
    String[] type = {""};
    String[] text = {""};
    Map<Map<String, String>, Answer.Row> rows = new LinkedHashMap<>();
    TreeSet<String> notes = new TreeSet<>();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      switch (name) {
        case "error" -> {
          return Answer.error(json.getString());
        }
        case "warnings", "infos" -> {
          while (json.nextToken() != JsonToken.END_ARRAY) {
            notes.add(json.getString());
          }
        }
        case "data" -> data(json, type, text, rows);
        default -> json.skipChildren();
      }
    }
    return new Answer(type[0], rows, text[0], notes);
  }

  private static void data(
      JsonParser json, String[] type, String[] text, Map<Map<String, String>, Answer.Row> rows) {
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      if (name.equals("resultType")) {
        type[0] = json.getString();
      } else if (!name.equals("result")) {
        json.skipChildren();
      } else if (type[0].equals("string")) {
        json.nextToken();
        json.nextToken();
        text[0] = json.getString();
        json.nextToken();
      } else if (type[0].equals("scalar")) {
        rows.put(Map.of(), row(List.of(pair(json))));
      } else {
        while (json.nextToken() != JsonToken.END_ARRAY) {
          series(json, rows);
        }
      }
    }
  }

  private static void series(JsonParser json, Map<Map<String, String>, Answer.Row> rows) {
    Map<String, String> labels = new TreeMap<>();
    List<double[]> pairs = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      switch (name) {
        case "metric" -> {
          while (json.nextToken() != JsonToken.END_OBJECT) {
            String label = json.currentName();
            json.nextToken();
            labels.put(label, json.getString());
          }
        }
        case "value" -> pairs.add(pair(json));
        case "values" -> {
          while (json.nextToken() != JsonToken.END_ARRAY) {
            pairs.add(pair(json));
          }
        }
        default -> throw new AssertionError("a series with " + name);
      }
    }
    rows.put(labels, row(pairs));
  }

  /** Reads {@code [seconds, "value"]}, starting at its bracket. */
  private static double[] pair(JsonParser json) {
    json.nextToken();
    double time = json.getDoubleValue();
    json.nextToken();
    String value = json.getString();
    json.nextToken();
    return new double[] {time, number(value)};
  }

  private static double number(String text) {
    return switch (text) {
      case "+Inf" -> Double.POSITIVE_INFINITY;
      case "-Inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(text);
    };
  }

  private static Answer.Row row(List<double[]> pairs) {
    return new Answer.Row(
        pairs.stream().mapToLong(pair -> Math.round(pair[0] * 1000)).toArray(),
        pairs.stream().mapToDouble(pair -> pair[1]).toArray());
  }

  @Override
  public void close() {
    client.close();
    process.close();
  }
}
