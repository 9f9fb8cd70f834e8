package dev.varve.server.kairosdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Groupings at the limits of their properties, as the original answers them. */
@TestInstance(Lifecycle.PER_CLASS)
class GroupByTest {
  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "blocks");
    String points =
        """
        {"name":"m","tags":{"host":"a"},"datapoints":[
          [1700000000000,3],[1703000000000,4],[1710000000000,5],[1730000000000,7]]}\
        """;
    String texts =
        "{\"name\":\"texts\",\"tags\":{\"host\":\"a\"},\"datapoints\":[[1700000000000,\"one\"]]}";
    assertThat(server.post("/api/v1/datapoints", "[" + points + "," + texts + "]").statusCode())
        .isEqualTo(204);
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private HttpResponse<String> grouped(String metric, String grouping) {
    return server.post(
        "/api/v1/datapoints/query",
        "{\"start_absolute\":1600000000000,\"metrics\":[{\"name\":\"%s\",\"group_by\":[%s]}]}"
            .formatted(metric, grouping));
  }

  private static String byTime(int count, String unit) {
    return "{\"name\":\"time\",\"range_size\":{\"value\":%d,\"unit\":\"%s\"},\"group_count\":4}"
        .formatted(count, unit);
  }

  @Test
  void groupsOfMonthsHaveOneMonthWhateverTheSize() {
    String ofOne = grouped("m", byTime(1, "months")).body();
    assertThat(ofOne).contains("\"group_number\":");
    assertThat(grouped("m", byTime(0, "months")).body())
        .isEqualTo(ofOne.replace("{\"value\":1,", "{\"value\":0,"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"seconds", "days", "weeks", "years"})
  void aSizeOfZeroFailsOnceThereIsAPoint(String unit) {
    HttpResponse<String> answer = grouped("m", byTime(0, unit));
    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body()).contains("the range_size of query.metric[0].group_by[0] is 0");
    assertThat(grouped("none", byTime(0, unit)).statusCode()).isEqualTo(200);
  }

  @Test
  void noBinsFailOnceThereIsANumber() {
    String bins = "{\"name\":\"bin\",\"bins\":[]}";
    HttpResponse<String> answer = grouped("m", bins);
    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body()).contains("query.metric[0].group_by[0].bins may not be empty");
    assertThat(grouped("none", bins).statusCode()).isEqualTo(200);
    assertThat(grouped("texts", bins).body())
        .contains(
            "{\"name\":\"bin\",\"bins\":[],\"group\":{\"bin_number\":-1}}",
            "[[1700000000000,\"one\"]]");
    assertThat(grouped("texts", "{\"name\":\"bin\"}").body())
        .contains("{\"name\":\"bin\",\"bins\":null,\"group\":{\"bin_number\":-1}}");
    assertThat(grouped("m", "{\"name\":\"bin\"}").statusCode()).isEqualTo(500);
  }
}
