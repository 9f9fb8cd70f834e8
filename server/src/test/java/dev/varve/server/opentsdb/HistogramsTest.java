package dev.varve.server.opentsdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.SideDatasets;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.server.TestServer;
import dev.varve.server.opentsdb.histogram.HistogramText;
import dev.varve.server.opentsdb.histogram.SimpleHistogram;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Histograms of codec 7. T is the start of an hour. */
class HistogramsTest {
  private static final long T = 1_500_076_800;

  /** Codec 7, one bucket from 0 to 2 with 300, nothing below, one above. */
  private static final String STORED = "07" + "0001" + "00000000" + "40000000" + "ac02" + "0001";

  @TempDir private Path directory;
  private @Nullable TestServer running;

  @AfterEach
  void stop() {
    if (running != null) {
      running.close();
    }
  }

  private TestServer server() {
    return Objects.requireNonNull(running);
  }

  private void start(String layout) throws IOException {
    DatasetConfig main =
        TestServer.dataset(layout, layout.equals("blocks") ? "rocksdb" : "memory")
            .withHistograms(7);
    List<DatasetConfig> datasets = new ArrayList<>(List.of(main));
    datasets.addAll(SideDatasets.of(main));
    running = TestServer.with(directory, datasets);
  }

  private HttpResponse<String> write(String host, long time, String value) {
    return server()
        .post(
            "/opentsdb/api/histogram?details",
            "{\"metric\":\"m\",\"timestamp\":%d,\"tags\":{\"host\":\"%s\"},%s}"
                .formatted(time, host, value));
  }

  private String query(String more) {
    return server()
        .get("/opentsdb/api/query?start=%d&end=%d&%s".formatted(T, T + 3_599, more))
        .body();
  }

  @Test
  void textsThatAreNoHistogramsAreSkipped() throws IOException {
    start("buckets");
    assertThat(write("a", T + 1, "\"buckets\":{\"0,2\":9},\"underflow\":1").statusCode())
        .isEqualTo(200);
    String before = query("m=sum:percentiles%5B50%5D:m");
    assertThat(before).contains("\"1500076801\":1.0");
    for (String text : List.of("***", "", "Bw==")) {
      HttpResponse<String> written =
          server()
              .post(
                  "/datasets/buckets_histogram/varve/v1/points",
                  "{\"metric\":\"m\",\"tags\":{\"host\":\"a\"},\"time\":%d,\"value\":{\"string\":\"%s\"}}"
                      .formatted(1000 * (T + 2), text));
      assertThat(written.body()).contains("\"accepted\":1");
    }
    assertThat(query("m=sum:percentiles%5B50%5D:m")).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"blocks", "buckets", "opentsdb", "kairosdb", "heroic"})
  void percentilesAreThoseOfTheSumOfHistograms(String layout) throws IOException {
    start(layout);
    String buckets = "\"buckets\":{\"0,2\":%d,\"2,4\":%d},\"underflow\":1,\"overflow\":2";
    assertThat(write("a", T + 1, buckets.formatted(9, 1)).body()).contains("\"success\":1");
    assertThat(write("b", T + 1, buckets.formatted(0, 90)).statusCode()).isEqualTo(200);
    assertThat(write("a", T + 61, buckets.formatted(5, 5)).statusCode()).isEqualTo(200);

    assertThat(query("m=sum:percentiles%5B5,50%5D:m"))
        .isEqualTo(
            "[{\"metric\":\"m_pct_5.0\",\"tags\":{},\"aggregateTags\":[\"host\"],\"dps\":{\"1500076801\":1.0,\"1500076861\":1.0}},"
                + "{\"metric\":\"m_pct_50.0\",\"tags\":{},\"aggregateTags\":[\"host\"],\"dps\":{\"1500076801\":3.0,\"1500076861\":1.0}}]");
    assertThat(query("m=none:1h-sum:percentiles%5B50%5D:m%7Bhost=a%7D"))
        .contains("\"tags\":{\"host\":\"a\"}", "\"dps\":{\"1500076800\":1.0}");
    assertThat(query("m=sum:show-histogram-buckets:m%7Bhost=a%7D"))
        .contains("\"m_UNDERFLOW\"", "\"m_0.0_2.0\"", "\"m_2.0_4.0\"", "\"m_OVERFLOW\"")
        .contains("\"dps\":{\"1500076801\":9,\"1500076861\":5}");
    assertThat(query("m=sum:m")).as("there are no points").isIn("[]", unknown());
  }

  private static String unknown() {
    String message = "No such name for 'metrics': 'm'";
    return "{\"error\":{\"code\":400,\"message\":\"%s\",\"details\":\"%s\"}}"
        .formatted(message, message);
  }

  @Test
  void theLayoutOpentsdbHasTheBytesOfTheOriginal() throws IOException {
    start("opentsdb");
    String encoded =
        Base64.getEncoder().encodeToString(HexFormat.of().parseHex(STORED.substring(2)));
    assertThat(write("a", T, "\"id\":7,\"value\":\"%s\"".formatted(encoded)).body())
        .contains("\"success\":1");
    try (var found =
        server().engine().defaultDataset().attributes(Selector.metric("m"), TimeRange.ALL)) {
      assertThat(found)
          .singleElement()
          .satisfies(attribute -> {
            assertThat(attribute.time()).isEqualTo(1000 * T);
            assertThat(((Value.Raw) attribute.value()).value().hex()).isEqualTo(STORED);
          });
    }
    assertThat(query("m=sum:show-histogram-buckets:m")).contains("\"dps\":{\"1500076800\":300}");
  }

  @Test
  void aLineIsAHistogramToo() throws IOException {
    start("buckets");
    try (Socket socket = server().connect()) {
      String lines =
          """
          histogram m %d u=1:o=2:0,2=9:2,4=1 host=a
          histogram m %d 3 AAAA host=a
          histogram m %d 0-2 host=a
          histogram m %d
          exit
          """
              .formatted(T, T, T, T);
      socket.getOutputStream().write(lines.getBytes(UTF_8));
      assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
          .isEqualTo(
              """
              histogram: HBase error: No codec found mapped to ID 3
              histogram: illegal argument: Improperly formatted bucket: 0-2
              histogram: illegal argument: not enough arguments (need least 5, got 2)
              """);
    }
    assertThat(query("m=sum:percentiles%5B95%5D:m")).contains("{\"1500076800\":3.0}");
  }

  @Test
  void errorsAreThoseOfOpenTsdb() throws IOException {
    start("buckets");
    assertThat(write("a", T, "\"id\":7").body())
        .contains("Histogram buckets cannot be null or empty if 'value' is empty.");
    assertThat(write("a", T, "\"id\":300,\"value\":\"AAAA\"").body())
        .contains("Invalid type. Must be from 0 to 255.", "\"id\":300");
    assertThat(write("a", T, "\"id\":1,\"value\":\"AAAA\"").body())
        .contains("No codec found mapped to ID 1");
    assertThat(write("a", T, "\"buckets\":{\"1\":2}").body())
        .contains("Unable to parse bucket bounds: 1");
    assertThat(write("a", T, "\"buckets\":{\"a,b\":2}").body())
        .contains("Unable to parse value to a number");
    assertThat(query("m=avg:percentiles%5B95%5D:m"))
        .contains("Only NONE or SUM aggregation function supported for histogram query");
  }

  @Test
  void aDatasetWithoutHistogramsSaysSo() throws IOException {
    running = TestServer.with(directory, List.of(TestServer.dataset("buckets", "memory")));
    assertThat(write("a", T, "\"buckets\":{\"0,1\":2}").statusCode()).isEqualTo(503);
    assertThat(query("m=sum:percentiles%5B95%5D:m")).contains("\"code\":400", "not been enabled");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 127, 128, 300, Integer.MAX_VALUE, Long.MAX_VALUE, -1, Long.MIN_VALUE})
  void countsTakeAsManyBytesAsTheyNeed(long count) {
    byte[] stored = HistogramText.of("u=%d:0,1=%d".formatted(count, count)).stored(0);
    SimpleHistogram read = SimpleHistogram.read(Arrays.copyOfRange(stored, 1, stored.length));
    assertThat(read.underflow()).isEqualTo(count);
    assertThat(read.buckets().values()).containsExactly(count);
  }
}
