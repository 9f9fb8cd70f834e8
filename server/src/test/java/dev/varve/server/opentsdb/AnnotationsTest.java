package dev.varve.server.opentsdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Annotations through OpenTSDB's API. T is the start of an hour. */
class AnnotationsTest {
  private static final long T = 1_500_001_200;
  private static final Pattern TSUID = Pattern.compile("\"tsuids\":\\[\"([0-9A-F]+)\"]");

  private TestServer server;
  private String tsuid;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "buckets");
    assertThat(
            server
                .post(
                    "/api/put",
                    "[{\"metric\":\"m\",\"timestamp\":%d,\"value\":1,\"tags\":{\"host\":\"a\"}},{\"metric\":\"m\",\"timestamp\":%d,\"value\":2,\"tags\":{\"host\":\"b\"}}]"
                        .formatted(T, T + 60))
                .statusCode())
        .isEqualTo(204);
    Matcher found = TSUID.matcher(query("sum:m{host=a}", "&show_tsuids"));
    assertThat(found.find()).isTrue();
    tsuid = found.group(1);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private String query(String m, String more) {
    String path = "/api/query?start=%d&end=%d&m=%s%s".formatted(T, T + 120, m, more);
    HttpResponse<String> answer =
        server.get(path.replace("{", "%7B").replace("}", "%7D").replace("|", "%7C"));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.body();
  }

  private HttpResponse<String> ask(String method, String path, String body) {
    return server.send(
        server.request("/api/annotation" + path).method(method, BodyPublishers.ofString(body)));
  }

  private String saved(String method, String path, String body) {
    HttpResponse<String> answer = ask(method, path, body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.body();
  }

  @Test
  void postMergesAndPutReplaces() {
    String first =
        "{\"tsuid\":\"%s\",\"description\":\"deploy\",\"notes\":\"by hand\",\"custom\":{\"b\":\"2\",\"a\":\"1\"},\"startTime\":%d,\"endTime\":%d}"
            .formatted(tsuid, T + 5, T + 9);
    assertThat(saved("POST", "", first))
        .isEqualTo(first.replace("{\"b\":\"2\",\"a\":\"1\"}", "{\"a\":\"1\",\"b\":\"2\"}"));
    assertThat(saved("POST", "", first.replace("\"2\"", "null")))
        .contains("{\"a\":\"1\",\"b\":null}");
    String named = "{\"tsuid\":\"%s\",\"startTime\":%d".formatted(tsuid, T + 5);
    assertThat(saved("POST", "", named + ",\"description\":\"rollback\"}"))
        .contains("\"description\":\"rollback\",\"notes\":\"by hand\"", "\"endTime\":" + (T + 9));
    assertThat(saved("PUT", "", named + ",\"notes\":\"new\"}"))
        .isEqualTo(
            "{\"tsuid\":\"%s\",\"description\":\"\",\"notes\":\"new\",\"startTime\":%d,\"endTime\":0}"
                .formatted(tsuid, T + 5));
    assertThat(ask("POST", "", named + "}").statusCode()).as("says nothing").isEqualTo(304);

    String url = "?tsuid=%s&start_time=%d".formatted(tsuid, T + 5);
    assertThat(server.get("/api/annotation" + url).body()).contains("\"notes\":\"new\"");
    assertThat(server.get("/api/v1/annotation" + url).body()).contains("\"notes\":\"new\"");
    assertThat(ask("DELETE", url, "").statusCode()).isEqualTo(204);
    assertThat(ask("DELETE", url, "").statusCode()).as("again").isEqualTo(204);
    HttpResponse<String> gone = server.get("/api/annotation" + url);
    assertThat(gone.statusCode()).isEqualTo(404);
    assertThat(gone.body())
        .isEqualTo(
            "{\"error\":{\"code\":404,\"message\":\"Unable to locate annotation in storage\"}}");
  }

  @Test
  void queriesShowAnnotationsOfTheirTimes() {
    saved(
        "POST",
        "",
        "{\"startTime\":%d,\"description\":\"all\",\"endTime\":%d}".formatted(T + 7, T + 8));
    saved(
        "POST",
        "",
        "{\"startTime\":%d,\"description\":\"long\",\"endTime\":%d}"
            .formatted(T + 7, T + 900)
            .replace("7,", "6,"));
    saved(
        "POST",
        "",
        "{\"tsuid\":\"%s\",\"startTime\":%d,\"description\":\"late\"}".formatted(tsuid, T + 3000));
    saved(
        "POST",
        "",
        "{\"tsuid\":\"%s\",\"startTime\":%d,\"description\":\"soon\"}".formatted(tsuid, T + 5));
    saved(
        "POST",
        "",
        "{\"tsuid\":\"%s\",\"startTime\":%d,\"description\":\"next hour\"}"
            .formatted(tsuid, T + 3600));
    String own =
        "\"annotations\":[{\"tsuid\":\"%s\",\"description\":\"soon\",\"notes\":\"\",\"startTime\":%d,\"endTime\":0}]"
            .formatted(tsuid, T + 5);
    String global =
        "\"globalAnnotations\":[{\"tsuid\":\"\",\"description\":\"all\",\"notes\":\"\",\"startTime\":%d,\"endTime\":%d}]"
            .formatted(T + 7, T + 8);
    assertThat(query("sum:m", "")).contains(own + ",\"dps\":").doesNotContain("globalAnnotations");
    assertThat(query("sum:m", "&global_annotations")).contains(own + "," + global + ",\"dps\":");
    assertThat(query("sum:m", "&global_annotations&no_annotations")).doesNotContain("nnotations");
    assertThat(query("sum:m{host=b}", "")).doesNotContain("nnotations");

    String functions =
        "/api/query/gexp?start=%d&end=%d&global_annotations&exp=".formatted(T, T + 120);
    assertThat(server.get(functions + "scale(sum:m,2)").body())
        .contains(own + "," + global + ",\"dps\":");
    assertThat(server.get(functions + "sum(sum:m,sum:m)").body())
        .contains("\"annotations\":[]," + global + ",\"dps\":");

    HttpResponse<String> listed =
        server.get("/api/annotations?start_time=%d&end_time=%d".formatted(T, T + 100));
    assertThat(listed.body()).isEqualTo(global.substring(global.indexOf('[')));
  }

  @Test
  void manyAreSavedAndDeletedAtOnce() {
    String many =
        "[{\"startTime\":%d,\"description\":\"g\"},{\"tsuid\":\"%s\",\"startTime\":%d,\"description\":\"s\"},{\"tsuid\":\"%s\",\"startTime\":%d,\"description\":\"t\"}]"
            .formatted(T + 1, tsuid, T + 2, tsuid, (T + 3) * 1000 + 7);
    assertThat(saved("POST", "/bulk", many))
        .contains("\"description\":\"g\"", "\"description\":\"s\"", "\"description\":\"t\"");
    assertThat(ask("DELETE", "/bulk?tsuids=" + tsuid, "").body())
        .contains("Missing the start time");
    assertThat(ask("DELETE", "/bulk?start_time=" + T, "").body())
        .contains("Missing the TSUIDs or global annotations flag");
    String range =
        "{\"tsuids\":[\"%s\"],\"global\":true,\"startTime\":%d,\"endTime\":\"%d\"}"
            .formatted(tsuid.toLowerCase(Locale.ROOT), T, T + 2);
    assertThat(saved("DELETE", "/bulk", range))
        .endsWith(
            "\"global\":true,\"startTime\":%d000,\"endTime\":%d000,\"totalDeleted\":2}"
                .formatted(T, T + 2));
    assertThat(query("sum:m", "&global_annotations"))
        .contains("\"description\":\"t\"")
        .doesNotContain("\"g\"");
  }

  @Test
  void refusesWhatIsWrong() {
    assertThat(ask("POST", "", "{\"description\":\"no time\"}").body())
        .contains("\"code\":400", "The start timestamp has not been set");
    assertThat(server.get("/api/annotation").body()).contains("Missing start time");
    assertThat(ask("POST", "", "{\"startTime\":1,\"description\":\"x\",\"tsuid\":\"xyz\"}").body())
        .contains("\"code\":400", "contains illegal character for hexBinary: 0xyz");
    assertThat(server.get("/api/annotation/bulk").statusCode()).isEqualTo(405);
    assertThat(ask("POST", "", "nonsense").statusCode()).isEqualTo(400);
  }

  @Test
  void anUrlMayNameAnotherMethod() {
    String url = "?start_time=%d&description=x".formatted(T);
    HttpResponse<String> answer = server.get("/api/annotation" + url + "&method_override=post");
    assertThat(answer.body())
        .isEqualTo(
            "{\"tsuid\":\"\",\"description\":\"x\",\"notes\":\"\",\"startTime\":%d,\"endTime\":0}"
                .formatted(T));
    HttpResponse<String> foreign =
        server.send(
            server
                .request("/api/annotation" + url + "&method_override=delete")
                .header("Origin", "http://elsewhere"));
    assertThat(foreign.statusCode()).isEqualTo(403);
    assertThat(server.get("/api/annotation" + url).statusCode()).isEqualTo(200);
  }
}
