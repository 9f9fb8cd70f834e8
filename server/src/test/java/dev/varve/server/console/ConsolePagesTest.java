package dev.varve.server.console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The console over HTTP. */
class ConsolePagesTest {
  private static final int SIZE_MAX = 120_000;

  private TestServer server;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "buckets");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private HttpResponse<byte[]> get(String path, String header, String value) throws IOException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          server.request(path).header(header, value).build(),
          HttpResponse.BodyHandlers.ofByteArray());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private Set<String> files() {
    Matcher names = Pattern.compile("\\./(console/[^\"]+)").matcher(server.get("/").body());
    Set<String> files = new TreeSet<>();
    while (names.find()) {
      if (names.group(1).matches(".*\\.[0-9a-f]{12}\\.(js|css|svg)")) {
        files.add(names.group(1));
      }
    }
    return files;
  }

  @Test
  void answersThePageWithAStrictPolicy() throws IOException {
    HttpResponse<String> page = server.get("/");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.body()).startsWith("<!doctype html>");
    assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html; charset=utf-8");
    assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
        .contains("default-src 'none'", "frame-ancestors 'none'")
        .doesNotContain("unsafe-inline");
    assertThat(page.headers().firstValue("Cache-Control")).hasValue("no-cache");
    assertThat(page.headers().firstValue("Set-Cookie")).isEmpty();
    String tag = page.headers().firstValue("ETag").orElse("");
    HttpResponse<byte[]> again = get("/", "If-None-Match", tag);
    assertThat(again.statusCode()).isEqualTo(304);
    assertThat(again.body()).isEmpty();
  }

  @Test
  void answersCompressedFilesThatBrowsersKeep() throws IOException {
    int size = 0;
    Set<String> files = files();
    assertThat(files).hasSizeGreaterThan(10);
    for (String file : files) {
      HttpResponse<byte[]> gzip = get("/" + file, "Accept-Encoding", "br, gzip;q=0.9");
      assertThat(gzip.statusCode()).as(file).isEqualTo(200);
      assertThat(gzip.headers().firstValue("Content-Encoding")).hasValue("gzip");
      assertThat(gzip.headers().firstValue("Cache-Control").orElse("")).contains("immutable");
      assertThat(gzip.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
      size += gzip.body().length;
      byte[] plain = get("/" + file, "Accept-Encoding", "gzip;q=0").body();
      assertThat(new GZIPInputStream(new ByteArrayInputStream(gzip.body())).readAllBytes())
          .isEqualTo(plain);
    }
    assertThat(size).as("bytes of the console, compressed").isLessThan(SIZE_MAX);
  }

  @Test
  void namesWhatItDoesNotHave() {
    HttpResponse<String> missing = server.get("/console/main.js");
    assertThat(missing.statusCode()).isEqualTo(404);
    assertThat(missing.body()).contains("main.js").contains("reload");
    for (String path : List.of("/console/", "/console/../varve.yaml", "/datasets/buckets/")) {
      assertThat(server.get(path).statusCode()).as(path).isGreaterThanOrEqualTo(400);
    }
    assertThat(server.post("/", "").statusCode()).isEqualTo(405);
  }

  @Test
  void tellsLayoutsDatasetsAndFunctions() {
    assertThat(server.get("/varve/v1/layouts").body())
        .contains(
            "\"name\":\"blocks\"", "\"name\":\"heroic\"", "\"name\":\"bucket\",\"default\":\"1d\"");
    assertThat(server.get("/varve/v1/datasets").body())
        .isEqualTo("{\"default\":\"buckets\",\"datasets\":[\"buckets\"]}");
    assertThat(server.get("/varve/v1/promql").body())
        .contains("{\"name\":\"rate\",\"takes\":\"matrix\",\"returns\":\"vector\"}", "\"topk\"")
        .doesNotContain("limitk");
  }

  @Test
  void tellsTheCellsOfAPointByteByByte() {
    String point =
        "{\"metric\":\"cpu\",\"tags\":{\"host\":\"a\"},\"time\":1700000000000,\"value\":1.5}";
    HttpResponse<String> answer = cells("opentsdb", point, "&param.saltWidth=1");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body())
        .contains("\"label\":\"base time\",\"role\":\"the stretch of time")
        .contains("\"label\":\"number\",\"text\":\"1.5\",\"from\":0,\"to\":8")
        .contains("\"table\":\"tsdb-uid\"", "\"refused\":[]")
        .contains("salt");
    assertThat(cells("heroic", point.replace("1.5", "{\"string\":\"x\"}"), "").body())
        .contains("\"cells\":[", "\"refused\":[\"cpu");
  }

  @Test
  void tellsWhatGuardrailsFind() {
    String point = "{\"metric\":\"cpu\",\"tags\":{\"host\":\"a\"},\"time\":1,\"value\":1.5}";
    String yaml =
        """
        layout: early
        key:
          - bucket: 1d
          - metric
          - tags
        families:
          d:
            qualifier: [offset, field]
        """;
    assertThat(cells(yaml, point, "").body())
        .contains("\"layout\":\"early\",\"rule\":\"time-leads-key\",\"severity\":\"refuse\"");
    assertThat(cells("buckets", point, "").body()).contains("\"findings\":[]");
  }

  @Test
  void refusesWhatIsNoLayoutOrNoPointOrTooMuch() {
    String point = "{\"metric\":\"cpu\",\"tags\":{},\"time\":1,\"value\":1.5}";
    assertRefused(cells("bucket", point, ""), 400, "did you mean 'buckets'");
    assertRefused(cells("layout: x\nkey: 3\n", point, ""), 400, "line 2, column 6");
    assertRefused(cells("buckets", point, "&param.bucket=soon"), 400, "bucket");
    assertRefused(cells("buckets", "{", ""), 400, "line 1");
    assertRefused(cells("", point, ""), 400, "'layout' is missing");
    assertRefused(cells("buckets", (point + "\n").repeat(101), ""), 400, "at most 100");
    assertRefused(cells("#".repeat(20_000), point, ""), 413, "16384");
    assertRefused(cells("buckets", " ".repeat(70_000), ""), 413, "65536");
  }

  @Test
  void estimatesWhatALayoutMakesOfADay() {
    String point =
        "{\"metric\":\"cpu\",\"tags\":{\"host\":\"a\"},\"time\":1700000000000,\"value\":1.5}";
    HttpResponse<String> answer = estimate("opentsdb", point, "10m");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    // A row an hour, a cell every ten minutes.
    assertThat(answer.body())
        .contains("\"layout\":\"opentsdb\",\"series\":4,\"samples\":576")
        .contains("\"data\":{\"rows\":96,\"cells\":576,", "\"rowsOfWrite\":4")
        .contains("{\"what\":\"1 series, 1 hour\",\"wanted\":6,\"ranges\":1,");
    assertThat(estimate("heroic", point.replace("1.5", "{\"string\":\"x\"}"), "1h").body())
        .contains("\"samples\":0", "\"refused\":[\"cpu");
    assertRefused(estimate("buckets", point, "1s"), 400, "from 10s to 1h");
    assertRefused(estimate("buckets", point, "soon"), 400, "'interval'");
    assertRefused(estimate("buckets", "", "1h"), 400, "a point with a sample");
    assertRefused(estimate("buckets", " ".repeat(5000), "1h"), 413, "4096");
    assertRefused(estimate("layout: x\nkey: 3\n", point, "1h"), 400, "line 2, column 6");
  }

  private HttpResponse<String> estimate(String layout, String point, String interval) {
    return server.post(
        "/varve/v1/layouts/estimate",
        "layout=%s&points=%s&interval=%s"
            .formatted(
                URLEncoder.encode(layout, UTF_8), URLEncoder.encode(point, UTF_8), interval));
  }

  private HttpResponse<String> cells(String layout, String points, String more) {
    return server.post(
        "/varve/v1/cells",
        "layout="
            + URLEncoder.encode(layout, UTF_8)
            + "&points="
            + URLEncoder.encode(points, UTF_8)
            + more);
  }

  private static void assertRefused(HttpResponse<String> answer, int status, String reason) {
    assertThat(answer.body()).startsWith("{\"error\":").contains(reason).doesNotContain("\\tat ");
    assertThat(answer.statusCode()).isEqualTo(status);
  }
}
