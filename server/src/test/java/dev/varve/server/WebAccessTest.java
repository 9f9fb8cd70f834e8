package dev.varve.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.http.RawHttp;
import dev.varve.server.http.RawHttp.Answer;
import dev.varve.server.http.WebAccess;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Access of web pages, tested with requests as browsers send them, byte for byte. */
@SuppressWarnings("NullAway.Init") // Every test starts its own server.
class WebAccessTest {
  private static final String PAGE = "https://page.example";
  private static final String POINT =
      "{\"metric\":\"m\",\"tags\":{\"a\":\"b\"},\"time\":1700000000000,\"value\":1.0}";

  private TestServer server;

  @TempDir private Path directory;

  @AfterEach
  void stop() {
    server.close();
  }

  private void start(WebAccess web) throws IOException {
    server = new TestServer(directory, null, "buckets").with(web);
  }

  private Answer send(String method, String path, String body, String... fields)
      throws IOException {
    return RawHttp.send(server.port(), method, path, body, fields);
  }

  /** Method, path and body of requests that change state. */
  private static final List<String[]> CHANGES =
      List.of(
          new String[] {"POST", "/-/reload", ""},
          new String[] {"POST", "/api/v1/status/queries/1/kill", ""},
          new String[] {"POST", "/varve/v1/points", POINT},
          new String[] {"POST", "/varve/v1/compact", "selector=m"},
          new String[] {"POST", "/api/v1/datapoints", "[]"},
          new String[] {"POST", "/kairosdb/api/v1/datapoints", "[]"},
          new String[] {"POST", "/datasets/buckets/api/v1/datapoints", "[]"},
          new String[] {"POST", "/api/put", "[]"},
          new String[] {"POST", "/api/v1/put", "[]"},
          new String[] {"POST", "/write", "m v=1"},
          new String[] {"POST", "/api/v2/write", "m v=1"},
          new String[] {"POST", "/api/v1/write", "x"},
          new String[] {"POST", "/api/v1/import/prometheus", "m 1\n"},
          new String[] {"POST", "/metrics/job/a", "m 1\n"},
          new String[] {"PUT", "/metrics/job/a", "m 1\n"},
          new String[] {"POST", "/v1/metrics", "{}"},
          new String[] {"POST", "/api/v1/otlp/v1/metrics", "{}"});

  /** Method, path and body of requests that only read. */
  private static final List<String[]> READS =
      List.of(
          new String[] {"GET", "/metrics", ""},
          new String[] {"GET", "/-/ready", ""},
          new String[] {"GET", "/api/v1/status/queries", ""},
          new String[] {"POST", "/api/v1/query", ""},
          new String[] {"POST", "/api/v1/query_range", ""},
          new String[] {"POST", "/api/v1/format_query", ""},
          new String[] {"POST", "/api/v1/read", "x"},
          new String[] {"POST", "/api/v1/datapoints/query", "{}"},
          new String[] {"POST", "/api/v1/datapoints/query/tags", "{}"},
          new String[] {"GET", "/api/v1/metricnames", ""},
          new String[] {"POST", "/api/suggest", "{}"},
          new String[] {"POST", "/api/aggregators", ""},
          new String[] {"POST", "/api/version", ""},
          new String[] {"POST", "/query", ""},
          new String[] {"GET", "/query?q=CREATE+DATABASE+x", ""},
          new String[] {"POST", "/varve/v1/query", ""},
          new String[] {"POST", "/varve/v1/explain", ""},
          new String[] {"POST", "/varve/v1/explain/points", ""},
          new String[] {"POST", "/varve/v1/cells", ""});

  @Test
  void noPageOfAnotherOriginChangesAnything() throws IOException {
    start(WebAccess.DEFAULTS);
    for (String[] change : CHANGES) {
      for (String origin : List.of(PAGE, "null", "http://localhost:1", "http://127.0.0.1", "x")) {
        Answer answer = send(change[0], change[1], change[2], "Origin: " + origin);
        assertThat(answer.status()).as(change[1] + " from " + origin).isEqualTo(403);
        assertThat(answer.body()).contains("web.origins");
        assertThat(answer.header("Access-Control-Allow-Origin")).isEmpty();
      }
      for (String site : List.of("cross-site", "same-site", "none")) {
        assertThat(send(change[0], change[1], change[2], "Sec-Fetch-Site: " + site).status())
            .as(change[1] + " by a link, " + site)
            .isEqualTo(403);
      }
      assertThat(send(change[0], change[1], change[2], "Sec-Fetch-Site: same-origin").status())
          .isNotEqualTo(403);
      assertThat(send(change[0], change[1], change[2]).status()).as(change[1]).isNotEqualTo(403);
      String own = "Origin: http://LOCALHOST:" + server.port();
      assertThat(send(change[0], change[1], change[2], own).status())
          .as(change[1])
          .isNotEqualTo(403);
    }
    assertThat(server.get("/api/v1/label/__name__/values").body()).doesNotContain("\"page\"");
  }

  @Test
  void pagesOfListedOriginsAndOfTheExternalAddressChangeThings() throws IOException {
    start(
        new WebAccess(Set.of(PAGE), Set.of(), Set.of())
            .withOriginOf(URI.create("https://varve.example:443/below/")));
    for (String origin : List.of(PAGE, "HTTPS://Page.Example:443", "https://varve.example")) {
      Answer answer = send("POST", "/-/reload", "", "Origin: " + origin);
      assertThat(answer.status()).as(origin).isEqualTo(200);
      assertThat(answer.header("Access-Control-Allow-Origin")).isEqualTo(origin);
    }
    for (String origin :
        List.of(
            "http://page.example",
            "https://page.example:444",
            "https://page.example.evil",
            "https://evil.page.example",
            "https://page.example@evil",
            "https://page.example/")) {
      assertThat(send("POST", "/-/reload", "", "Origin: " + origin).status())
          .as(origin)
          .isEqualTo(403);
    }
    Answer preflight =
        send(
            "OPTIONS",
            "/api/v1/datapoints",
            "",
            "Origin: " + PAGE,
            "Access-Control-Request-Method: POST",
            "Access-Control-Request-Headers: content-type");
    assertThat(preflight.header("Access-Control-Allow-Origin")).isEqualTo(PAGE);
    assertThat(send("GET", "/metrics", "", "Origin: " + PAGE).header("Access-Control-Allow-Origin"))
        .isEmpty();
  }

  @Test
  void pagesOfOtherOriginsReadNothingByDefault() throws IOException {
    start(WebAccess.DEFAULTS);
    for (String[] read : READS) {
      Answer answer = send(read[0], read[1], read[2], "Origin: " + PAGE);
      assertThat(answer.status()).as(read[1]).isNotEqualTo(403);
      assertThat(answer.header("Access-Control-Allow-Origin")).as(read[1]).isEmpty();
      assertThat(preflight(read, PAGE).header("Access-Control-Allow-Origin")).isEmpty();
    }
  }

  @Test
  void pagesOfListedOriginsRead() throws IOException {
    start(new WebAccess(Set.of(), Set.of(), Set.of(PAGE)));
    for (String[] read : READS) {
      Answer answer = send(read[0], read[1], read[2], "Origin: " + PAGE);
      assertThat(answer.header("Access-Control-Allow-Origin")).as(read[1]).isEqualTo(PAGE);
      assertThat(answer.header("Vary")).contains("Origin");
      Answer preflight = preflight(read, PAGE);
      assertThat(preflight.status()).isEqualTo(204);
      assertThat(preflight.header("Access-Control-Allow-Origin")).isEqualTo(PAGE);
      assertThat(preflight.header("Access-Control-Allow-Methods")).isEqualTo(read[0]);
      assertThat(preflight.header("Access-Control-Allow-Headers")).isEqualTo("x-some");
      Answer other = preflight(read, "https://other.example");
      assertThat(other.header("Access-Control-Allow-Origin")).isEmpty();
      assertThat(other.header("Vary")).contains("Origin");
    }
    for (String[] change : CHANGES) {
      assertThat(preflight(change, PAGE).header("Access-Control-Allow-Origin"))
          .as(change[1])
          .isEmpty();
      assertThat(send(change[0], change[1], change[2], "Origin: " + PAGE).status()).isEqualTo(403);
    }
  }

  @Test
  void allPagesReadWhereTheConfigurationSaysSo() throws IOException {
    start(new WebAccess(Set.of(), Set.of(), Set.of(WebAccess.ANY)));
    assertThat(
            send("GET", "/api/v1/labels", "", "Origin: null").header("Access-Control-Allow-Origin"))
        .isEqualTo("*");
    assertThat(send("POST", "/-/reload", "", "Origin: " + PAGE).status()).isEqualTo(403);
  }

  private Answer preflight(String[] request, String origin) throws IOException {
    return send(
        "OPTIONS",
        request[1],
        "",
        "Origin: " + origin,
        "Access-Control-Request-Method: " + request[0],
        "Access-Control-Request-Headers: x-some");
  }

  @Test
  void aNameThatPointsToLoopbackIsNoNameOfTheServer() throws IOException {
    start(new WebAccess(Set.of(), Set.of("varve.internal"), Set.of()));
    for (String host :
        List.of(
            "rebound.example",
            "rebound.example:" + server.port(),
            "localhost.rebound.example",
            "127.0.0.1.rebound.example",
            "10.0.0.1",
            "0.0.0.0",
            "[::2]",
            "localhost@rebound.example",
            "rebound.example, localhost")) {
      for (String path : List.of("/metrics", "/-/healthy", "/api/v1/labels", "/nothing")) {
        Answer answer = send("GET", path, "", "Host: " + host);
        assertThat(answer.status()).as(host + path).isIn(400, 403);
      }
      assertThat(send("POST", "/-/reload", "", "Host: " + host, "Origin: http://" + host).status())
          .as(host)
          .isIn(400, 403);
    }
    for (String host :
        List.of(
            "localhost",
            "LocalHost:1",
            "127.0.0.1:4242",
            "127.9.8.7",
            "[::1]:4242",
            "[0:0:0:0:0:0:0:1]",
            "varve.internal",
            "Varve.Internal:80")) {
      assertThat(send("GET", "/-/healthy", "", "Host: " + host).status()).as(host).isEqualTo(200);
    }
    assertThat(RawHttp.send(server.port(), "GET /-/healthy HTTP/1.0\r\n\r\n").status())
        .isEqualTo(200);
    assertThat(server.get("/metrics").body())
        .containsPattern("varve_http_requests_total\\{[^}]*path=\"/-/reload\",status=\"403\"}");
  }
}
