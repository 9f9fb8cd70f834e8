package dev.varve.server.heroic;

import static org.assertj.core.api.Assertions.assertThat;

import com.tdunning.math.stats.TDigest;
import dev.varve.server.ServerConfig.Listener;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Writes of points and distributions, what other APIs see of them, and a listener for Heroic. */
class WriteTest {
  @TempDir private static Path directory;
  private static HeroicServer heroic;

  @BeforeAll
  static void start() throws IOException {
    heroic = new HeroicServer(directory, "heroic", "buckets", "kairosdb");
  }

  @AfterAll
  static void stop() {
    heroic.close();
  }

  @Test
  void otherApisSeeItsPointsAndItSeesTheirs() {
    heroic.write("seen", "site=x", "pod=p", "[1600000010000,42.5]");
    assertThat(
            heroic.server().get("/api/v1/query?time=1600000010&query=seen%7Bpod=%22p%22%7D").body())
        .contains("\"42.5\"", "\"site\":\"x\"");
    heroic.server().post("/api/v1/import/prometheus", "other{host=\"a\"} 7 1600000010000\n");
    assertThat(
            HeroicServer.values(
                heroic.ask("* from points(1600000000000, 1600000020000) where $key = other")))
        .isEqualTo("[[1600000010000,7.0]]");
  }

  @Test
  void seesIntegersAndFieldsOfOtherApis() {
    String path = "/datasets/buckets";
    heroic
        .server()
        .post(
            path + "/write?precision=ms",
            "weather,city=b temp=20i,wet=0.5,sky=\"blue\" 1600000010000");
    HttpResponse<String> answer =
        heroic
            .server()
            .send(
                heroic
                    .server()
                    .request(path + "/heroic/query/metrics")
                    .header("X-Client-Id", "test")
                    .header("Content-Type", "text/plain")
                    .POST(
                        HttpRequest.BodyPublishers.ofString(
                            "* from points(1600000000000, 1600000020000) where city = b")));
    assertThat(HeroicServer.values(answer))
        .isEqualTo("[[1600000010000,20.0]] [[1600000010000,0.5]]");
    assertThat(answer.body()).contains("\"__field__\":\"temp\"", "\"__field__\":\"wet\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "{\"data\":{\"type\":\"points\",\"data\":[]}}; 'series' is missing",
        "{\"series\":{\"tags\":{}},\"data\":{\"type\":\"points\",\"data\":[]}}; 'key' is missing",
        "{\"series\":{\"key\":\"k\"}}; 'data' is missing",
        "{\"series\":{\"key\":\"k\",\"tags\":{\"a\":null}},\"data\":{\"type\":\"points\",\"data\":[]}}; series.tags.a",
        "{\"series\":{\"key\":\"k\"},\"data\":{\"type\":\"points\",\"data\":[[1000,null]]}}; expected a number, found null",
        "{\"series\":{\"key\":\"k\"},\"data\":{\"type\":\"points\",\"data\":[[1000,1e999]]}}; too large for a double",
        "{\"series\":{\"key\":\"k\"},\"data\":{\"type\":\"points\",\"data\":[[1e3,1]]}}; whole number of ms",
        "{\"series\":{\"key\":\"k\"},\"data\":{\"type\":\"points\",\"data\":[[1000]]}}; the end of the array",
        "{\"series\":{\"key\":\"k\"},\"data\":{\"type\":\"events\",\"data\":[]}}; data of type 'events'",
        "{\"series\":{\"key\":\"k\"},\"data\":{\"type\":\"distributionPoints\",\"data\":[{\"timestamp\":1000,\"value\":\"?\"}]}}; not base64",
        "{\"series\":{\"key\":\"k\"},\"data\":{\"type\":\"points\",\"data\":[[-1,1]]}}; 1 of 1 points were refused",
      })
  void refusesWhatItCannotStore(String body, String message) {
    HttpResponse<String> answer = heroic.server().post("/heroic/write", body);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains(message);
  }

  @Test
  void keepsTheRestOfAListWhenOneWriteIsMalformed() {
    String good =
        "{\"data\":{\"data\":[[1600000010000,1]],\"type\":\"points\"},\"series\":{\"key\":\"kept\"}}";
    HttpResponse<String> answer =
        heroic.server().post("/heroic/write", "[" + good + ",{\"series\":{}}]");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("\"path\":\"[1].series.key\"");
    assertThat(
            HeroicServer.values(
                heroic.ask("* from points(1600000000000, 1600000020000) where $key = kept")))
        .isEqualTo("[[1600000010000,1.0]]");
  }

  private static String digest(boolean small, double... samples) {
    TDigest digest = TDigest.createMergingDigest(100);
    for (double sample : samples) {
      digest.add(sample);
    }
    ByteBuffer bytes = ByteBuffer.allocate(small ? digest.smallByteSize() : digest.byteSize());
    if (small) {
      digest.asSmallBytes(bytes);
    } else {
      digest.asBytes(bytes);
    }
    return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), bytes.position()));
  }

  private static HttpResponse<String> distribution(
      String key, String host, long time, String value) {
    return heroic
        .server()
        .post(
            "/heroic/write",
            "{\"series\":{\"key\":\"%s\",\"tags\":{\"host\":\"%s\"}},\"data\":{\"type\":\"distributionPoints\",\"data\":[{\"timestamp\":%d,\"value\":\"%s\"}]}}"
                .formatted(key, host, time, value));
  }

  @Test
  void aggregatesDistributionsToPercentiles() {
    distribution("latency", "a", 1600000005000L, digest(false, 1, 2, 3, 4, 5));
    distribution("latency", "b", 1600000006000L, digest(true, 6, 7, 8, 9, 10));
    distribution("latency", "a", 1600000015000L, digest(false, 100));
    HttpResponse<String> answer =
        heroic.ask(
            "tdigest(10s) by [] from distributionPoints(1600000000000, 1600000020000) where $key = latency");
    TDigest expected = TDigest.createMergingDigest(100);
    for (int i = 1; i <= 10; i++) {
      expected.add(i);
    }
    assertThat(HeroicServer.values(answer))
        .isEqualTo(
            "[[1600000010000,%s],[1600000020000,100.0]] [[1600000010000,%s],[1600000020000,100.0]] [[1600000010000,%s],[1600000020000,100.0]]"
                .formatted(
                    expected.quantile(0.99), expected.quantile(0.5), expected.quantile(0.75)));
    assertThat(answer.body())
        .contains("\"tdigeststat\":\"P99\"", "\"tdigeststat\":\"P50\"", "\"tdigeststat\":\"P75\"");
    // Without an aggregation, the answer tells how many samples a distribution has.
    assertThat(
            HeroicServer.values(
                heroic.ask(
                    "* from distributionPoints(1600000000000, 1600000020000) where $key = latency and host = a")))
        .isEqualTo("[[1600000005000,5.0],[1600000015000,1.0]]");
  }

  @Test
  void namesDistributionsThatAreNone() {
    String huge =
        Base64.getEncoder()
            .encodeToString(
                new byte[] {
                  0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                  0, 127, 127, 127, 127
                });
    assertThat(distribution("broken", "a", 1600000005000L, huge).statusCode()).isEqualTo(200);
    distribution("broken", "a", 1600000006000L, digest(false, 7));
    HttpResponse<String> answer =
        heroic.ask(
            "tdigest(20s) from distributionPoints(1600000000000, 1600000020000) where $key = broken");
    assertThat(answer.body())
        .contains("[[1600000020000,7.0]]", "is left out: a t-digest of 32 bytes ends too early");
  }

  @Test
  void refusesDistributionsByNameWhereALayoutHasNoPlaceForThem() {
    HttpResponse<String> answer =
        heroic
            .server()
            .post(
                "/datasets/kairosdb/heroic/write",
                "{\"series\":{\"key\":\"k\",\"tags\":{\"a\":\"b\"}},\"data\":{\"type\":\"distributionPoints\",\"data\":[{\"timestamp\":1000,\"value\":\"%s\"}]}}"
                    .formatted(digest(false, 1)));
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("1 of 1 points were refused", "distribution");
  }

  @Test
  void aListenerOfItsOwnCarriesItsOwnPaths(@TempDir Path other) throws Exception {
    try (HeroicServer own = new HeroicServer(other, "buckets");
        HttpClient client = HttpClient.newHttpClient()) {
      own.server()
          .with(
              List.of(
                  new Listener("127.0.0.1", 0, List.of("influx", "heroic"), null),
                  new Listener("127.0.0.1", 0, List.of("heroic", "operations"), null)));
      int shared = own.server().ports().getFirst();
      int alone = own.server().ports().getLast();
      String body =
          "{\"series\":{\"key\":\"k\"},\"data\":{\"type\":\"points\",\"data\":[[1600000010000,1]]}}";
      assertThat(status(client, shared, "/heroic/write", body)).isEqualTo(200);
      // There, /write is Influx'.
      assertThat(status(client, shared, "/write", body)).isEqualTo(400);
      assertThat(status(client, shared, "/query/metrics", "{}")).isEqualTo(404);
      assertThat(status(client, alone, "/write", body)).isEqualTo(200);
      assertThat(status(client, alone, "/heroic/write", body)).isEqualTo(200);
      assertThat(status(client, alone, "/metadata/keys", "{}")).isEqualTo(200);
    }
  }

  private static int status(HttpClient client, int port, String path, String body)
      throws IOException, InterruptedException {
    return client
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofString())
        .statusCode();
  }
}
