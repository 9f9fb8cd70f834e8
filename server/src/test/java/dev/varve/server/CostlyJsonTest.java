package dev.varve.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Short bodies that used to take minutes or hours of CPU time. */
@Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CostlyJsonTest {
  @TempDir private Path directory;
  private TestServer server;

  @BeforeEach
  void start() throws IOException {
    server = new TestServer(directory, null, "buckets");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aTimeOfAMillionZerosAfterThePointIsCutToZero() {
    HttpResponse<String> answer =
        server.post(
            "/api/v1/datapoints",
            "[{\"name\":\"m\",\"tags\":{\"a\":\"b\"},\"datapoints\":[[1e-999999999,7]]}]");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    assertThat(
            server
                .post(
                    "/api/v1/datapoints/query",
                    "{\"start_absolute\":0,\"end_absolute\":1,\"metrics\":[{\"name\":\"m\"}]}")
                .body())
        .contains("[0,7]");
  }

  /** The path of the metric used to be built for each row, even without an error. */
  @Test
  void aLongNameOfManyRowsIsNotPutTogetherForEach() {
    HttpResponse<String> answer =
        server.post(
            "/api/v1/datapoints",
            "[{\"name\":\""
                + "n".repeat(4 << 20)
                + "\",\"tags\":{\"a\":\"b\"},\"datapoints\":[[]"
                + ",[]".repeat(500_000)
                + "]}]");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body().length()).isLessThan(2_000_000);
  }

  @Test
  void aTextOfManyDigitsIsNoNumber() {
    HttpResponse<String> answer =
        server.send(
            server
                .request("/v1/metrics")
                .header("Content-Type", "application/json")
                .POST(
                    BodyPublishers.ofString(
                        "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{\"name\":\"m\",\"gauge\":{\"dataPoints\":[{\"asDouble\":\""
                            + "1".repeat(2 << 20)
                            + "x\"}]}}]}]}]}")));
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("111...", "is not a number").hasSizeLessThan(1000);
  }
}
