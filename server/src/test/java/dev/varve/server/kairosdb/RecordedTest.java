package dev.varve.server.kairosdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.varve.server.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/** What KairosDB itself answered to the same points and the same requests. */
class RecordedTest {
  /** Doubles that were added up in another order, or by a more careful formula. */
  private static final double TOLERANCE = 1e-9;

  /** The one answer that differs on purpose: it lists the zones that the platform knows. */
  private static final String ZONES = "is not a valid time zone, must be one of [";

  @TempDir static @Nullable Path directory;

  private static @Nullable TestServer server;
  private static Map<String, @Nullable Object> recorded = Map.of();

  private static TestServer server() {
    return Objects.requireNonNull(server);
  }

  @BeforeAll
  static void loadThePoints() throws IOException {
    try (InputStream in =
        new GZIPInputStream(
            Objects.requireNonNull(
                RecordedTest.class.getResourceAsStream("recorded-http.json.gz")))) {
      recorded = Properties.object(JsonTree.read(in.readAllBytes()));
    }
    server = new TestServer(Objects.requireNonNull(directory), null, "kairosdb");
    HttpResponse<String> answer = server().post("/api/v1/datapoints", text(recorded.get("points")));
    assertThat(answer.body()).isEmpty();
    assertThat(answer.statusCode()).isEqualTo(204);
  }

  @AfterAll
  static void stop() {
    server().close();
  }

  private static String text(@Nullable Object tree) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JsonTree.FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
      write(json, tree);
    }
    return text.toString();
  }

  private static void write(JsonGenerator json, @Nullable Object tree) {
    switch (tree) {
      case null -> json.writeNull();
      case Map<?, ?> map -> {
        json.writeStartObject();
        map.forEach((name, value) -> {
          json.writeName((String) name);
          write(json, value);
        });
        json.writeEndObject();
      }
      case List<?> list -> {
        json.writeStartArray();
        list.forEach(value -> write(json, value));
        json.writeEndArray();
      }
      case JsonTree.Numeral number -> json.writeNumber(number.text());
      case Boolean truth -> json.writeBoolean(truth);
      default -> json.writeString(tree.toString());
    }
  }

  @TestFactory
  List<DynamicTest> answersAsKairosDbDid() {
    List<DynamicTest> tests = new ArrayList<>();
    for (Object one : Properties.array(recorded.get("requests"))) {
      Map<String, @Nullable Object> request = Properties.object(one);
      tests.add(
          DynamicTest.dynamicTest(
              Objects.requireNonNull(Properties.text(request.get("name"))), () -> check(request)));
    }
    return tests;
  }

  private static void check(Map<String, @Nullable Object> recordedRequest) {
    String path = Objects.requireNonNull(Properties.text(recordedRequest.get("path")));
    Object body = recordedRequest.get("body");
    HttpRequest.Builder request = server().request(path);
    if ("POST".equals(recordedRequest.get("method"))) {
      request.POST(HttpRequest.BodyPublishers.ofString("".equals(body) ? "" : text(body)));
    }
    HttpResponse<String> answer = server().send(request);
    assertThat(answer.statusCode())
        .as(answer.body())
        .isEqualTo(Integer.parseInt(Properties.text(recordedRequest.get("status"))));
    if (Boolean.TRUE.equals(recordedRequest.get("statusOnly"))
        || "".equals(recordedRequest.get("answer"))) {
      return;
    }
    Object expected = recordedRequest.get("answer");
    if (text(expected).contains(ZONES)) {
      assertThat(answer.body()).contains(ZONES).contains("query.Mars/Base");
      return;
    }
    same(JsonTree.read(answer.body().getBytes(UTF_8)), expected, "");
  }

  /** Equal but for the order of names, and numbers equal as numbers. */
  private static void same(@Nullable Object actual, @Nullable Object expected, String place) {
    if (actual instanceof Map<?, ?> a && expected instanceof Map<?, ?> b) {
      assertThat(a.keySet()).as(place).isEqualTo(b.keySet());
      a.forEach((name, value) -> same(value, b.get(name), place + "." + name));
    } else if (actual instanceof List<?> a && expected instanceof List<?> b) {
      assertThat(a).as(place).hasSameSizeAs(b);
      for (int i = 0; i < a.size(); i++) {
        same(a.get(i), b.get(i), place + "[" + i + "]");
      }
    } else if (actual instanceof JsonTree.Numeral a && expected instanceof JsonTree.Numeral b) {
      double left = Double.parseDouble(a.text());
      double right = Double.parseDouble(b.text());
      if (Math.abs(left - right) > TOLERANCE * Math.max(Math.abs(left), Math.abs(right))) {
        fail(place + ": " + a.text() + ", KairosDB: " + b.text());
      }
    } else {
      assertThat(actual).as(place).isEqualTo(expected);
    }
  }
}
