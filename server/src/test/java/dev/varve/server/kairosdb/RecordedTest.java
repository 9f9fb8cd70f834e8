package dev.varve.server.kairosdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.varve.server.TestServer;
import dev.varve.server.http.WriteBudget;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Compares answers with those that KairosDB gave to the same requests on the same points. */
class RecordedTest {
  /** For doubles added in another order or with a more precise formula. */
  private static final double TOLERANCE = 1e-9;

  private static final int EXCEPTIONS_MAX = 10;

  /** The only answer that differs intentionally: it lists the time zones of the platform. */
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
      recorded = Properties.object(JsonTree.read(in.readAllBytes(), WriteBudget.unlimited()));
    }
    server = new TestServer(Objects.requireNonNull(directory), null, "kairosdb");
    HttpResponse<String> answer =
        server().post("/api/v1/datapoints", JsonTree.text(recorded.get("points")));
    assertThat(answer.body()).isEmpty();
    assertThat(answer.statusCode()).isEqualTo(204);
  }

  @AfterAll
  static void stop() {
    server().close();
  }

  @TestFactory
  List<DynamicTest> answersAsKairosDbDid() {
    List<DynamicTest> tests = new ArrayList<>();
    for (Object one : Properties.array(recorded.get("requests"))) {
      Map<String, @Nullable Object> request = Properties.object(one);
      tests.add(DynamicTest.dynamicTest(String.valueOf(request.get("name")), () -> check(request)));
    }
    return tests;
  }

  @Test
  void thePageListsTheFewSamplesWhoseBodiesDiffer() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "api", "kairosdb.md"));
    List<String> different =
        Properties.array(recorded.get("requests")).stream()
            .map(Properties::object)
            .filter(one ->
                Boolean.TRUE.equals(one.get("statusOnly"))
                    || JsonTree.text(one.get("answer")).contains(ZONES))
            .map(one -> String.valueOf(one.get("name")))
            .toList();
    assertThat(different).hasSizeBetween(1, EXCEPTIONS_MAX);
    assertThat(different).allSatisfy(name -> assertThat(page).contains("`" + name + "`"));
  }

  private static void check(Map<String, @Nullable Object> recordedRequest) {
    String path = String.valueOf(recordedRequest.get("path"));
    Object body = recordedRequest.get("body");
    HttpRequest.Builder request = server().request(path);
    if ("POST".equals(recordedRequest.get("method"))) {
      request.POST(HttpRequest.BodyPublishers.ofString("".equals(body) ? "" : JsonTree.text(body)));
    }
    HttpResponse<String> answer = server().send(request);
    assertThat(answer.statusCode())
        .as(answer.body())
        .isEqualTo(Integer.parseInt(FieldValue.text(recordedRequest.get("status"), 500)));
    if (Boolean.TRUE.equals(recordedRequest.get("statusOnly"))
        || "".equals(recordedRequest.get("answer"))) {
      return;
    }
    Object expected = recordedRequest.get("answer");
    if (JsonTree.text(expected).contains(ZONES)) {
      assertThat(answer.body()).contains(ZONES).contains("query.Mars/Base");
      return;
    }
    same(JsonTree.read(answer.body().getBytes(UTF_8), WriteBudget.unlimited()), expected, "");
  }

  /**
   * Thousands of recorded requests in order: every aggregator and grouping on every kind of data,
   * each property with each wrong JSON type, and points of every type and form. For intentional
   * differences the recording names the entry in docs/api/kairosdb.md that explains them.
   */
  @Test
  void answersToEveryFormOfRequestAsKairosDbDid() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "api", "kairosdb.md"));
    List<String> wrong = new ArrayList<>();
    int equal = 0;
    for (Object one : Properties.array(recorded.get("more"))) {
      Map<String, @Nullable Object> request = Properties.object(one);
      String differs = (String) request.get("differs");
      if (differs != null && !page.contains("\n- **" + differs + "**")) {
        wrong.add("the page has no entry '" + differs + "'");
      }
      try {
        checkRaw(request, differs != null);
        equal += differs == null ? 1 : 0;
      } catch (AssertionError | RuntimeException e) {
        wrong.add(request.get("name") + ": " + e.getMessage());
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(equal).isGreaterThan(4700);
  }

  private static void checkRaw(Map<String, @Nullable Object> recordedRequest, boolean differs) {
    HttpRequest.Builder request =
        server().request(String.valueOf(recordedRequest.get("path")).replace(" ", "%20"));
    Object method = recordedRequest.get("method");
    if (method == null) {
      request.POST(HttpRequest.BodyPublishers.ofString((String) recordedRequest.get("body")));
    } else {
      request.method((String) method, HttpRequest.BodyPublishers.noBody());
    }
    HttpResponse<String> answer = server().send(request);
    int status =
        Integer.parseInt(FieldValue.text(recordedRequest.get(differs ? "here" : "status"), 500));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    Object expected = recordedRequest.get("answer");
    if (expected != null) {
      same(
          JsonTree.read(answer.body().getBytes(UTF_8), WriteBudget.unlimited()),
          JsonTree.read(((String) expected).getBytes(UTF_8), WriteBudget.unlimited()),
          "");
    }
    if (status < 404 && !"OPTIONS".equals(method)) {
      assertThat(answer.headers().firstValue("Content-Type"))
          .hasValue(
              status == 200 || status == 204
                  ? "application/json;charset=utf-8"
                  : "application/json");
    }
  }

  /** Compares regardless of the order of names, and numbers by value. */
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
      // 3 and 3.0 differ for clients.
      assertThat(a.text().matches("-?\\d+"))
          .as(place + ": " + a.text() + ", KairosDB: " + b.text())
          .isEqualTo(b.text().matches("-?\\d+"));
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
