package dev.varve.server.opentsdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Notes about series, in a layout that keeps UIDs. */
class SeriesMetaTest {
  private static final String META = "/datasets/opentsdb/api/uid/tsmeta";
  private static final String TSUID = "000001000001000001";

  private TestServer server;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "buckets", "opentsdb");
    String point =
        "{\"metric\":\"cpu\",\"timestamp\":1500000000,\"value\":7,\"tags\":{\"host\":\"a\"}}";
    assertThat(server.post("/datasets/opentsdb/api/put", point).statusCode()).isEqualTo(204);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private HttpResponse<String> send(String method, String query, String body) {
    return server.send(server.request(META + query).method(method, BodyPublishers.ofString(body)));
  }

  @Test
  void notesAreCreatedMergedReplacedAndDeleted() {
    String ofMetric = "?m=cpu%7Bhost=a%7D";
    assertThat(server.get(META + "?tsuid=" + TSUID).statusCode()).isEqualTo(404);
    assertThat(send("POST", ofMetric, "{\"units\":\"ms\"}").body())
        .contains("\"code\":400", "Could not find TSMeta");
    HttpResponse<String> created =
        send("POST", ofMetric + "&create=true", "{\"units\":\"ms\",\"custom\":{\"owner\":\"me\"}}");
    assertThat(created.statusCode()).as(created.body()).isEqualTo(200);
    assertThat(created.body())
        .contains(
            "\"tsuid\":\"" + TSUID + "\"", "\"metric\":{\"uid\":\"000001\"", "\"name\":\"cpu\"")
        .contains("\"tags\":[{", "\"name\":\"host\"", "\"name\":\"a\"")
        .contains("\"custom\":{\"owner\":\"me\"},\"units\":\"ms\"", "\"max\":\"NaN\"");

    String named = "{\"tsuid\":\"%s\",\"max\":7.5}".formatted(TSUID);
    assertThat(send("POST", "", named).body()).contains("\"units\":\"ms\"", "\"max\":7.5");
    assertThat(send("PUT", "", named).body()).contains("\"units\":\"\"", "\"max\":7.5");
    assertThat(send("POST", "", "{\"tsuid\":\"%s\"}".formatted(TSUID)).statusCode()).isEqualTo(304);
    assertThat(server.get(META + "?m=cpu").body()).startsWith("[{\"tsuid\":\"" + TSUID);

    assertThat(send("DELETE", "?tsuid=" + TSUID, "").statusCode()).isEqualTo(204);
    assertThat(server.get(META + "?m=cpu").body()).isEqualTo("[]");
    assertThat(send("POST", "", named).body()).contains("Requested TSMeta did not exist");
  }

  @Test
  void unknownNamesAreNotFound() {
    assertThat(server.get(META + "?m=mem").body())
        .contains("\"code\":404", "Unable to find one of the UIDs");
    assertThat(server.get(META).body()).contains("Missing parameter <code>m</code>");
    assertThat(send("PUT", "?tsuid=000009000001000001&units=ms", "").body())
        .contains("\"code\":404", "Unable to find one or more UIDs");
    assertThat(send("DELETE", "", "").body()).contains("Unable to delete TSMeta information");
  }
}
