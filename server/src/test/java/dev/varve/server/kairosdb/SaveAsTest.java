package dev.varve.server.kairosdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The points that {@code save_as} writes, as KairosDB does. */
class SaveAsTest {
  private static final String HOUR = "\"sampling\":{\"value\":1,\"unit\":\"hours\"}";

  @TempDir static @Nullable Path directory;

  private static @Nullable TestServer server;

  private static TestServer server() {
    return Objects.requireNonNull(server);
  }

  @BeforeAll
  static void start() throws IOException {
    server = new TestServer(Objects.requireNonNull(directory), null, "kairosdb");
    String points =
        """
        [{"name":"m","tags":{"host":"a","dc":"x"},"datapoints":[[1700000000000,0],[1700000001000,1]]},
         {"name":"m","tags":{"host":"b","dc":"x"},"datapoints":[[1700000000000,10],[1700000002000,2.5]]},
         {"name":"m","tags":{"host":"a"},"datapoints":[[1700000000000,"text"]]}]
        """;
    assertThat(server().post("/api/v1/datapoints", points).statusCode()).isEqualTo(204);
  }

  @AfterAll
  static void stop() {
    server().close();
  }

  private static HttpResponse<String> query(String metric) {
    return server()
        .post(
            "/api/v1/datapoints/query",
            "{\"start_absolute\":1699999999000,\"end_absolute\":1700000100000,\"metrics\":[{%s}]}"
                .formatted(metric));
  }

  private static String results(String metric) {
    String answer = query(metric).body();
    return answer.substring(answer.indexOf("\"results\""));
  }

  @Test
  void writesWhatReachesItAndPassesItOn() {
    String sum = "{\"name\":\"sum\"," + HOUR + "},{\"name\":\"save_as\",\"metric_name\":\"m.sum\"}";
    assertThat(results("\"name\":\"m\",\"aggregators\":[" + sum + "]"))
        .isEqualTo(results("\"name\":\"m\",\"aggregators\":[{\"name\":\"sum\"," + HOUR + "}]"));
    assertThat(results("\"name\":\"m.sum\""))
        .isEqualTo(
            """
            "results":[{"name":"m.sum","group_by":[{"name":"type","type":"number"}],"tags":{"saved_from":["m"]},"values":[[1700000000000,13.5]]},{"name":"m.sum","group_by":[{"name":"type","type":"text"}],"tags":{"saved_from":["m"]},"values":[[1700000000000,"text"]]}]}]}\
            """);
  }

  @Test
  void keepsTheTagsOfTheGroupingAndTypes() {
    String save =
        "{\"name\":\"save_as\",\"metric_name\":\"m.raw\",\"tags\":{\"x\":1,\"y\":\"\"},\"group_bys\":[],\"add_saved_from\":false}";
    query(
        "\"name\":\"m\",\"group_by\":[{\"name\":\"tag\",\"tags\":[\"host\",\"none\"]}],"
            + "\"aggregators\":[{\"name\":\"trim\",\"trim\":\"last\"},"
            + save
            + "]");
    assertThat(
            results(
                "\"name\":\"m.raw\",\"group_by\":[{\"name\":\"tag\",\"tags\":[\"host\"]}],"
                    + "\"exclude_tags\":true"))
        .contains(
            "\"group\":{\"host\":\"a\"}},{\"name\":\"type\",\"type\":\"number\"}],\"values\":[[1700000000000,0]]")
        .contains(
            "\"group\":{\"host\":\"b\"}},{\"name\":\"type\",\"type\":\"number\"}],\"values\":[[1700000000000,10]]")
        .doesNotContain("\"type\":\"text\"");
    assertThat(results("\"name\":\"m.raw\""))
        .contains("\"tags\":{\"host\":[\"a\",\"b\"],\"x\":[\"1\"]}");
  }

  @Test
  void writesNoGaps() {
    query(
        "\"name\":\"m\",\"tags\":{\"host\":\"b\"},\"aggregators\":[{\"name\":\"gaps\",\"sampling\":{\"value\":20,\"unit\":\"seconds\"}},"
            + "{\"name\":\"save_as\",\"metric_name\":\"m.gaps\"}]");
    assertThat(results("\"name\":\"m.gaps\""))
        .contains("\"values\":[[1700000000000,10],[1700000002000,2.5]]");
  }

  private static void assertFails(String saveAs, int status, String message) {
    HttpResponse<String> answer =
        query("\"name\":\"m\",\"aggregators\":[{\"name\":\"save_as\"," + saveAs + "}]");
    assertThat(answer.body()).contains(message);
    assertThat(answer.statusCode()).isEqualTo(status);
  }

  @Test
  void refusesWhatItCannotWrite() {
    assertFails("\"tags\":{}", 500, "save_as has no metric_name");
    assertFails("\"metric_name\":\"\"", 500, "save_as has no metric_name");
    assertFails("\"metric_name\":null", 500, "cannot validate null");
    assertFails(
        "\"metric_name\":\"m.e\",\"tags\":\"x\"",
        400,
        "java.lang.IllegalStateException: Expected BEGIN_OBJECT but was STRING");
    assertFails("\"metric_name\":\"m.e\",\"tags\":{\"a\":null}", 500, "null");
    assertFails("\"metric_name\":\"m.e\",\"tags\":{\"saved_from\":\"z\"}", 500, "twice");
    assertFails(
        "\"metric_name\":\"m.e\",\"ttl\":\"x\"",
        400,
        "java.lang.NumberFormatException: For input string: \\\"x\\\"");
    assertFails(
        "\"metric_name\":\"m.e\",\"bogus\":1",
        400,
        "Property 'bogus' was specified for object 'save_as' but no matching setter was found on 'class org.kairosdb.core.aggregator.SaveAsAggregator'");
    assertThat(server().get("/api/v1/metricnames?prefix=m.e").body()).isEqualTo("{\"results\":[]}");
  }

  @Test
  void aTagThatIsNoTextFailsOnceThereIsAPoint() {
    for (String tags : List.of("{\"a\":[\"one\"]}", "{\"a\":[]}", "{\"a\":{\"some\":1}}")) {
      String save = "{\"name\":\"save_as\",\"metric_name\":\"m.list\",\"tags\":%s}".formatted(tags);
      HttpResponse<String> none = query("\"name\":\"none\",\"aggregators\":[" + save + "]");
      assertThat(none.statusCode()).as(none.body()).isEqualTo(200);
      assertFails(
          "\"metric_name\":\"m.list\",\"tags\":" + tags,
          500,
          "save_as cannot write tag 'a' with the value ");
    }
    assertFails(
        "\"metric_name\":\"m.list\",\"tags\":{\"a\":[],\"b\":{}}",
        500,
        "save_as cannot write tag 'a' with the value ");
    assertFails("\"metric_name\":\"\",\"tags\":{\"a\":[]}", 500, "save_as has no metric_name");
    assertFails("\"metric_name\":\"m.list\",\"tags\":[\"one\"]", 400, "BEGIN_OBJECT");
    assertThat(server().get("/api/v1/metricnames?prefix=m.list").body())
        .isEqualTo("{\"results\":[]}");
  }

  @Test
  void isNoWayForPagesOfOthersToWrite() {
    String body =
        "{\"start_absolute\":1,\"metrics\":[{\"name\":\"m\",\"aggregators\":[{\"name\":\"save_as\",\"metric_name\":\"m.page\"}]}]}";
    HttpResponse<String> answer =
        server()
            .send(
                server()
                    .request("/api/v1/datapoints/query")
                    .header("Origin", "https://other.example")
                    .POST(BodyPublishers.ofString(body)));
    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(server().get("/api/v1/metricnames?prefix=m.page").body())
        .isEqualTo("{\"results\":[]}");
  }
}
