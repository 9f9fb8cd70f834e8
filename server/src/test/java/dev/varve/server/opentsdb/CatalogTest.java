package dev.varve.server.opentsdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.Socket;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Series, UIDs, last points, statistics, and what is refused by name. */
@TestInstance(Lifecycle.PER_CLASS)
class CatalogTest {
  private static final long T = 1_500_001_200;

  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "buckets");
    put("load", 0, "1", "{\"host\":\"a\",\"dc\":\"x\"}");
    put("load", 60, "2.5", "{\"host\":\"a\",\"dc\":\"x\"}");
    put("load", 30, "3", "{\"host\":\"b\"}");
    put("temp", 0, "4", "{\"room\":\"a\"}");
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private void put(String metric, long after, String value, String tags) {
    String point =
        "{\"metric\":\"%s\",\"timestamp\":%d,\"value\":%s,\"tags\":%s}"
            .formatted(metric, T + after, value, tags);
    assertThat(server.post("/api/put", point).statusCode()).isEqualTo(204);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private String lookUp(String m) {
    return server.get("/api/search/lookup?m=" + encoded(m)).body();
  }

  @Test
  void looksUpSeriesByTags() {
    assertThat(lookUp("load{host=*}"))
        .contains("\"host\":\"a\"", "\"host\":\"b\"", "\"totalResults\":2");
    assertThat(lookUp("load{dc=}")).contains("\"dc\":\"x\"", "\"totalResults\":1");
    assertThat(lookUp("{=a}")).contains("\"load\"", "\"temp\"", "\"totalResults\":2");
    assertThat(lookUp("load{host=a,host=b}")).contains("\"totalResults\":2");
    assertThat(server.get("/api/search/lookup?m=load&limit=1").body())
        .contains("\"limit\":1", "\"totalResults\":1");
    HttpResponse<String> posted =
        server.post(
            "/api/search/lookup",
            "{\"metric\":\"load\",\"tags\":[{\"key\":\"host\",\"value\":\"b\"}]}");
    assertThat(posted.body()).contains("\"results\":[{\"tags\":{\"host\":\"b\"}");
    assertThat(server.get("/api/search/lookup?m=nothing").statusCode()).isEqualTo(404);
  }

  private static String first(String pattern, String text) {
    Matcher found = Pattern.compile(pattern).matcher(text);
    assertThat(found.find()).as(text).isTrue();
    return found.group(1);
  }

  @Test
  void namesSeriesByTsuid() {
    String tsuid = first("\"tsuid\":\"([0-9A-F]+)\"", lookUp("load{dc=x}"));
    String range = "start=%d&end=%d".formatted(T, T + 60);
    String query = "/api/query?%s&show_tsuids&tsuid=sum:%s".formatted(range, tsuid);
    assertThat(server.get(query).body())
        .isEqualTo(
            "[{\"metric\":\"load\",\"tags\":{\"host\":\"a\",\"dc\":\"x\"},\"aggregateTags\":[],\"tsuids\":[\"%s\"],\"dps\":{\"%d\":1.0,\"%d\":2.5}}]"
                .formatted(tsuid, T, T + 60));
    assertThat(server.get("/api/query/last?resolve&tsuids=" + tsuid).body())
        .isEqualTo(
            "[{\"metric\":\"load\",\"timestamp\":%d000,\"value\":\"2.5\",\"tags\":{\"dc\":\"x\",\"host\":\"a\"},\"tsuid\":\"%s\"}]"
                .formatted(T + 60, tsuid));
    assertThat(server.get("/api/query?%s&tsuid=sum:zz".formatted(range)).statusCode())
        .isEqualTo(500);
  }

  @Test
  void aTsuidNamesOneSeriesAlone() {
    put("pair", 0, "1", "{\"host\":\"z9\"}");
    put("pair", 0, "2", "{\"host\":\"z9\",\"dc\":\"x\"}");
    String all = lookUp("pair{host=z9}");
    String tsuid = first("\"tags\":\\{\"host\":\"z9\"},[^}]*\"tsuid\":\"([0-9A-F]+)\"", all);
    String query = "/api/query?start=%d&end=%d&tsuid=sum:%s,%s".formatted(T, T + 60, tsuid, tsuid);
    assertThat(server.get(query).body())
        .contains("\"tags\":{\"host\":\"z9\"},", "\"%d\":1}".formatted(T));
  }

  @Test
  void findsLastPoints() {
    assertThat(server.get("/api/query/last?timeseries=load").body())
        .contains("\"value\":\"2.5\"", "\"value\":\"3\"");
    assertThat(
            server.get("/api/query/last?back_scan=24&timeseries=" + encoded("load{host=b}")).body())
        .as("nothing in the last day")
        .isEqualTo("[]");
    assertThat(
            server
                .post(
                    "/api/query/last",
                    "{\"queries\":[{\"metric\":\"load\",\"tags\":{\"host\":\"b\"}}],\"resolveNames\":true}")
                .body())
        .startsWith("[{\"metric\":\"load\",\"timestamp\":%d000,\"value\":\"3\"".formatted(T + 30));
    assertThat(server.get("/api/query/last").body()).contains("Missing sub queries");
    assertThat(server.get("/api/query/last?tsuids=zz").body())
        .contains("\"code\":400,\"message\":\"contains illegal character for hexBinary: zz\"");
    assertThat(server.get("/api/query/last?back_scan=-3&tsuids=000001000001000001").body())
        .contains("\"code\":400,\"message\":\"Backscan must be zero or a positive number\"");
    assertThat(server.post("/api/query/last", "{\"queries\":[],\"bogus\":1}").body())
        .contains("Unable to parse the given JSON");
  }

  @Test
  void givesEachNameItsUid() {
    HttpResponse<String> assigned = server.get("/api/uid/assign?metric=new.name,load&tagv=zz");
    assertThat(assigned.statusCode()).isEqualTo(400);
    assertThat(assigned.body())
        .contains("\"metric\":{\"new.name\":\"", "\"load\":\"Name already exists with UID: ");
    assertThat(server.post("/api/uid/assign", "{\"tagk\":[\"fresh\"]}").statusCode())
        .isEqualTo(200);
    assertThat(server.get("/api/uid/assign?tagv=a%26b").body())
        .contains("Invalid tagv (\\\"a&b\\\"): illegal character: &");
    String uid = first("UID: ([0-9A-F]+)", assigned.body());
    assertThat(server.get("/api/uid/uidmeta?type=metric&uid=" + uid).body())
        .contains("\"name\":\"load\"", "\"type\":\"METRIC\"");
    assertThat(server.get("/api/uid/uidmeta?type=tagk&uid=" + uid).statusCode()).isEqualTo(404);
    assertThat(server.post("/api/uid/rename", "{\"metric\":\"load\",\"name\":\"x\"}").body())
        .startsWith("{\"result\":\"false\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/version",
        "/api/aggregators",
        "/api/config",
        "/api/config/filters",
        "/api/stats",
        "/api/stats/jvm",
        "/api/stats/threads",
        "/api/stats/query",
        "/api/stats/region_clients",
        "/api/dropcaches",
        "/opentsdb/api/v1/version",
      })
  void saysWhatItIs(String path) {
    HttpResponse<String> answer = server.get(path);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type"))
        .hasValue("application/json; charset=UTF-8");
    assertThat(answer.body()).matches("(?s)[\\[{].*[\\]}]").doesNotContain("dev.varve");
  }

  @Test
  void refusesByName() {
    for (String path :
        List.of("/api/tree", "/api/tree/branch", "/api/search/uidmeta", "/opentsdb/api/v1/tree")) {
      HttpResponse<String> answer =
          server.send(server.request(path).POST(BodyPublishers.ofString("{}")));
      assertThat(answer.statusCode()).as(path).isIn(400, 501, 503);
      assertThat(answer.body())
          .contains("{\"error\":{\"code\":", "not ")
          .doesNotContain("Endpoint not found");
    }
  }

  @Test
  void answersCommandsOverTelnet() throws IOException {
    try (Socket socket = server.connect()) {
      socket
          .getOutputStream()
          .write(
              "stats\ndropcaches\nrollup 1h-sum load 1500000000 1 host=a\nhistogram load 1 1 u=0 host=a\nexit\n"
                  .getBytes(StandardCharsets.UTF_8));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer)
          .containsPattern("(?m)^tsd.varve.series [0-9]+ [1-9][0-9]* dataset=buckets$")
          .contains(
              "Caches dropped.\n",
              "rollup: illegal argument: No rollup or aggregations were configured\n",
              "histogram: illegal argument: Histogram storage has not been enabled. Check the 'histograms' of the dataset.\n");
    }
  }
}
