package dev.varve.matrix;

import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Writes to OpenTSDB and queries it as its users do. */
final class OpenTsdbClient {
  /** A point of a test series, whose names and numbers need no escapes. */
  record Point(GroupKey key, long time, Value value) {
    /** Returns a whole second in seconds, any other time in milliseconds. */
    private long sentTime() {
      return time % 1000 == 0 ? time / 1000 : time;
    }

    private String number() {
      return text(value);
    }

    private String json() {
      return "{\"metric\":\"%s\",\"timestamp\":%d,\"value\":\"%s\",\"tags\":{%s}}"
          .formatted(key.metric(), sentTime(), number(), tags("\"%s\":\"%s\"", ","));
    }

    private String line() {
      return "put %s %d %s %s\n".formatted(key.metric(), sentTime(), number(), tags("%s=%s", " "));
    }

    private String tags(String each, String between) {
      StringJoiner tags = new StringJoiner(between);
      key.tags().forEach((name, value) -> tags.add(each.formatted(name, value)));
      return tags.toString();
    }
  }

  private static final int PUT_POINTS = 500;

  /** One series of an answer. */
  private static final Pattern SERIES =
      Pattern.compile("\"tags\":\\{([^}]*)}[^}]*\"dps\":\\[(.*?)]}");

  private static final Pattern TAG = Pattern.compile("\"([^\"]+)\":\"([^\"]+)\"");

  private static final Pattern SAMPLE = Pattern.compile("\\[(\\d+),([^\\]]+)]");

  private final URI address;
  private final Charset lines;
  private final HttpClient http = HttpClient.newHttpClient();

  /**
   * Creates a client.
   *
   * @param lines encoding in which the server reads lines: Latin-1 in OpenTSDB, UTF-8 in Varve
   */
  OpenTsdbClient(URI address, Charset lines) {
    this.address = address;
    this.lines = lines;
  }

  private static String text(Value value) {
    return switch (value) {
      case Value.Int64 integer -> Long.toString(integer.value());
      case Value.Real real -> Double.toString(real.value());
      default -> throw new IllegalArgumentException("no number: " + value);
    };
  }

  /** Puts points over HTTP and returns once they are in HBase. */
  void put(List<Point> points) throws IOException, InterruptedException {
    for (int from = 0; from < points.size(); from += PUT_POINTS) {
      String body =
          points.subList(from, Math.min(points.size(), from + PUT_POINTS)).stream()
              .map(Point::json)
              .collect(Collectors.joining(",", "[", "]"));
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(address.resolve("/api/put?details&sync"))
                  .POST(HttpRequest.BodyPublishers.ofString(body))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200 || !answer.body().contains("\"failed\":0")) {
        throw new AssertionError("put answered " + answer.statusCode() + ": " + answer.body());
      }
    }
  }

  /** Puts points by telnet lines, which are in HBase some time after this returns. */
  void putByTelnet(List<Point> points) throws IOException {
    try (Socket socket = new Socket(address.getHost(), address.getPort())) {
      OutputStream out = socket.getOutputStream();
      for (Point point : points) {
        out.write(point.line().getBytes(lines));
      }
      // OpenTSDB answers in the order of the lines, and answers a failed put with a line.
      out.write("version\n".getBytes(StandardCharsets.US_ASCII));
      out.flush();
      StringBuilder answer = new StringBuilder();
      byte[] some = new byte[4096];
      while (!answer.toString().contains("net.opentsdb")) {
        int length = socket.getInputStream().read(some);
        if (length < 0) {
          break;
        }
        answer.append(new String(some, 0, length, StandardCharsets.US_ASCII));
      }
      if (answer.toString().contains("put:")) {
        throw new AssertionError("telnet answered " + answer);
      }
    }
  }

  /** Returns all samples of a metric, by series and time. */
  Map<GroupKey, NavigableMap<Long, Value>> query(String metric)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = ask(metric);
    if (answer.statusCode() != 200) {
      throw new AssertionError("query answered " + answer.statusCode() + ": " + answer.body());
    }
    Map<GroupKey, NavigableMap<Long, Value>> found = new HashMap<>();
    Matcher series = SERIES.matcher(answer.body());
    while (series.find()) {
      Tags tags = Tags.EMPTY;
      Matcher tag = TAG.matcher(series.group(1));
      while (tag.find()) {
        tags = tags.with(tag.group(1), tag.group(2));
      }
      NavigableMap<Long, Value> samples = new TreeMap<>();
      Matcher sample = SAMPLE.matcher(series.group(2));
      while (sample.find()) {
        samples.put(Long.parseLong(sample.group(1)), value(sample.group(2)));
      }
      found.put(GroupKey.of(metric, tags), samples);
    }
    return found;
  }

  /** Returns the answer to a query that fails. */
  String failure(String metric) throws IOException, InterruptedException {
    HttpResponse<String> answer = ask(metric);
    if (answer.statusCode() == 200) {
      throw new AssertionError("query answered " + answer.body());
    }
    return answer.body();
  }

  private HttpResponse<String> ask(String metric) throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(
                address.resolve(
                    "/api/query?start=1600000000&end=1800000000&ms=true&arrays=true&m=none:%s%%7Bhost=*%%7D"
                        .formatted(metric)))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static Value value(String text) {
    return text.matches("-?\\d+")
        ? new Value.Int64(Long.parseLong(text))
        : new Value.Real(Double.parseDouble(text));
  }
}
