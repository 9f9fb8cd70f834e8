package dev.varve.server.opentsdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** Compares answers with those that OpenTSDB gave to the same requests on the same points. */
class RecordedTest {
  /** For doubles added in another order or with a more precise formula. */
  private static final double TOLERANCE = 1e-9;

  private static final int EXCEPTIONS_MAX = 10;
  private static final int POINTS_OF_WRITE = 500;

  /** The samples that differ in every layout; the page has the reasons. */
  private static final Set<String> EXCEPTIONS =
      Set.of("POST/bad regexp", "error/bad JSON", "gexp/shift(sum:hand.a,\"1min\")");

  /** The name of the request that was recorded while annotations existed. */
  private static final String WITH_NOTES = "annotation/in query";

  /** The samples with UIDs, which differ where the layout keeps none. */
  private static final Set<String> WITH_UIDS = Set.of(WITH_NOTES, "tsuid/two");

  /** The annotations that the recorded server had then. */
  private static final List<String> NOTES =
      List.of(
          """
          {"startTime":1356998470,"tsuid":"00000400000500000C","description":"deploy 3"}\
          """,
          """
          {"startTime":1356998475,"endTime":1356998476,"description":"global one"}\
          """);

  @TempDir private static @Nullable Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"opentsdb", "blocks"})
  void answersAsOpenTsdbDid(String layout) throws IOException {
    Map<?, ?> recorded = recorded();
    Set<String> different = new TreeSet<>();
    List<String> reasons = new ArrayList<>();
    Path home = Files.createDirectory(Objects.requireNonNull(directory).resolve(layout));
    try (TestServer server = new TestServer(home, null, layout)) {
      load(server, list(recorded.get("points")));
      for (Object one : list(recorded.get("requests"))) {
        Map<?, ?> sample = (Map<?, ?>) one;
        boolean noted = WITH_NOTES.equals(sample.get("name"));
        if (noted) {
          notes(server, "POST", 200);
        }
        String difference = difference(sample, ask(server, sample));
        if (noted) {
          notes(server, "DELETE", 204);
        }
        if (difference != null) {
          different.add(String.valueOf(sample.get("name")));
          reasons.add(sample.get("name") + ": " + difference);
        }
      }
    }
    Set<String> expected = new TreeSet<>(EXCEPTIONS);
    if (!layout.equals("opentsdb")) {
      expected.addAll(WITH_UIDS);
    }
    assertThat(different).as(String.join("\n", reasons)).isEqualTo(expected);
  }

  @Test
  void thePageListsTheFewExceptions() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "api", "opentsdb.md"));
    Set<String> all = new TreeSet<>(EXCEPTIONS);
    all.addAll(WITH_UIDS);
    assertThat(all).hasSizeLessThanOrEqualTo(EXCEPTIONS_MAX);
    assertThat(all).allSatisfy(name -> assertThat(page).contains("`" + name + "`"));
  }

  private static Map<?, ?> recorded() throws IOException {
    try (InputStream in =
        new GZIPInputStream(
            Objects.requireNonNull(
                RecordedTest.class.getResourceAsStream("recorded-http.json.gz")))) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return (Map<?, ?>) Objects.requireNonNull(tree(text));
    }
  }

  private static List<?> list(@Nullable Object value) {
    return (List<?>) Objects.requireNonNull(value);
  }

  private static void load(TestServer server, List<?> points) {
    for (int from = 0; from < points.size(); from += POINTS_OF_WRITE) {
      List<?> some = points.subList(from, Math.min(points.size(), from + POINTS_OF_WRITE));
      List<String> texts = new ArrayList<>();
      some.forEach(point -> texts.add(text(point)));
      assertThat(server.post("/api/put", "[" + String.join(",", texts) + "]").statusCode())
          .isEqualTo(204);
    }
  }

  /** Writes or deletes the notes. */
  private static void notes(TestServer server, String method, int status) {
    for (String note : NOTES) {
      HttpRequest.Builder request =
          server.request("/api/annotation").method(method, BodyPublishers.ofString(note));
      assertThat(server.send(request).statusCode()).isEqualTo(status);
    }
  }

  private static HttpResponse<String> ask(TestServer server, Map<?, ?> sample) {
    Object body = sample.get("body");
    return server.send(
        server
            .request("/opentsdb" + sample.get("path"))
            .method(
                String.valueOf(sample.get("method")),
                body == null
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofString(String.valueOf(body))));
  }

  /** Returns what is different in an answer; null for nothing. */
  private static @Nullable String difference(Map<?, ?> sample, HttpResponse<String> answer) {
    String status = String.valueOf(answer.statusCode());
    if (!(sample.get("status") instanceof Numeral wanted) || !wanted.text().equals(status)) {
      return "status %s, OpenTSDB: %s, %s".formatted(status, sample.get("status"), answer.body());
    }
    return difference("", tree(answer.body()), sample.get("answer"));
  }

  /** Compares regardless of the order of names; whole numbers are not decimals. */
  private static @Nullable String difference(
      String place, @Nullable Object ours, @Nullable Object theirs) {
    if (ours instanceof Map<?, ?> a && theirs instanceof Map<?, ?> b) {
      return a.keySet().equals(b.keySet())
          ? first(place, a.keySet(), a, b)
          : "%s: %s, OpenTSDB: %s".formatted(place, a.keySet(), b.keySet());
    }
    if (ours instanceof List<?> a && theirs instanceof List<?> b && a.size() == b.size()) {
      for (int i = 0; i < a.size(); i++) {
        String found = difference(place + "[" + i + "]", a.get(i), b.get(i));
        if (found != null) {
          return found;
        }
      }
      return null;
    }
    if (ours instanceof Numeral a && theirs instanceof Numeral b && a.isSame(b)) {
      return null;
    }
    return Objects.equals(ours, theirs)
        ? null
        : "%s: %s, OpenTSDB: %s".formatted(place, ours, theirs);
  }

  private static @Nullable String first(
      String place, Collection<?> names, Map<?, ?> ours, Map<?, ?> theirs) {
    for (Object name : names) {
      String found = difference(place + "." + name, ours.get(name), theirs.get(name));
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /** A number as it is written, since {@code 3} and {@code 3.0} differ for clients. */
  private record Numeral(String text) {
    private boolean isWhole() {
      return text.matches("-?\\d+");
    }

    boolean isSame(Numeral other) {
      if (isWhole() || other.isWhole()) {
        return text.equals(other.text);
      }
      double a = Double.parseDouble(text);
      double b = Double.parseDouble(other.text);
      return Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b));
    }

    @Override
    public String toString() {
      return text;
    }
  }

  private static @Nullable Object tree(String text) {
    try (JsonParser json = new JsonFactory().createParser(ObjectReadContext.empty(), text)) {
      return value(json, Objects.requireNonNull(json.nextToken(), "an empty answer"));
    }
  }

  private static @Nullable Object value(JsonParser json, JsonToken token) {
    return switch (token) {
      case START_OBJECT -> {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
          String name = json.currentName();
          members.put(name, value(json, json.nextToken()));
        }
        yield members;
      }
      case START_ARRAY -> {
        List<@Nullable Object> elements = new ArrayList<>();
        for (JsonToken next = json.nextToken();
            next != JsonToken.END_ARRAY;
            next = json.nextToken()) {
          elements.add(value(json, next));
        }
        yield elements;
      }
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new Numeral(json.getString());
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> json.getString();
    };
  }

  /** Returns a point as JSON; its names need no escapes. */
  private static String text(Object value) {
    if (value instanceof Map<?, ?> members) {
      List<String> texts = new ArrayList<>();
      members.forEach((name, member) -> texts.add("\"" + name + "\":" + text(member)));
      return "{" + String.join(",", texts) + "}";
    }
    return value instanceof Numeral number ? number.text() : "\"" + value + "\"";
  }
}
