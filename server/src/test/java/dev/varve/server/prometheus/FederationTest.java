package dev.varve.server.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.formats.protobuf.WireWriter;
import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.xerial.snappy.Snappy;

@TestInstance(Lifecycle.PER_CLASS)
class FederationTest {
  private static final double STALE = Double.longBitsToDouble(0x7ff0000000000002L);

  private final long now = Clock.systemUTC().millis();
  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "buckets");
    WireWriter message =
        new WireWriter()
            .message(1, series(now - 20_000, 7.5, "__name__", "up", "job", "b"))
            .message(1, series(now - 10_000, 1, "__name__", "up", "job", "a", "instance", "i"))
            .message(
                1,
                series(now - 10_000, Double.POSITIVE_INFINITY, "__name__", "a.b", "l.m", "\"\n\\"))
            .message(1, series(now - 10_000, STALE, "__name__", "up", "job", "gone"))
            .message(1, series(now - 400_000, 1, "__name__", "up", "job", "old"));
    HttpResponse<String> answer =
        server.send(
            server
                .request("/api/v1/write")
                .header("Content-Encoding", "snappy")
                .POST(BodyPublishers.ofByteArray(Snappy.compress(message.toBytes()))));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private static WireWriter series(long time, double value, String... labels) {
    WireWriter series = new WireWriter();
    for (int i = 0; i < labels.length; i += 2) {
      series.message(1, new WireWriter().text(1, labels[i]).text(2, labels[i + 1]));
    }
    return series
        .message(2, new WireWriter().real(1, value - 1).varint(2, time - 1_000))
        .message(2, new WireWriter().real(1, value).varint(2, time));
  }

  private HttpResponse<String> federate(String accept, String... matches) {
    StringBuilder path = new StringBuilder("/federate?");
    for (String match : matches) {
      path.append("match[]=".replace("[]", "%5B%5D"))
          .append(URLEncoder.encode(match, StandardCharsets.UTF_8))
          .append('&');
    }
    return server.send(server.request(path.toString()).header("Accept", accept));
  }

  @Test
  void showsTheNewestSampleOfEachSeriesThatGoesOn() {
    HttpResponse<String> answer =
        federate("text/plain;version=0.0.4", "up{job=~\"b|gone|old\"}", "{__name__=~\".+\"}");
    assertThat(answer.headers().firstValue("Content-Type"))
        .hasValue("text/plain; version=0.0.4; charset=utf-8; escaping=underscores");
    assertThat(answer.body())
        .isEqualTo(
            """
            # TYPE a_b untyped
            a_b{l_m="\\"\\n\\\\",instance=""} +Inf %2$d
            # TYPE up untyped
            up{instance="i",job="a"} 1 %2$d
            up{job="b",instance=""} 7.5 %1$d
            """
                .formatted(now - 20_000, now - 10_000));
  }

  @Test
  void quotesNamesForWhoTakesThem() {
    HttpResponse<String> answer =
        federate("text/plain;version=1.0.0;escaping=allow-utf-8;q=0.5", "{\"a.b\"}");
    assertThat(answer.headers().firstValue("Content-Type"))
        .hasValue("text/plain; version=1.0.0; charset=utf-8; escaping=allow-utf-8");
    assertThat(answer.body())
        .isEqualTo(
            """
            # TYPE "a.b" untyped
            {"a.b","l.m"="\\"\\n\\\\",instance=""} +Inf %d
            """
                .formatted(now - 10_000));
  }

  @Test
  void showsNothingToWhoAsksForNothing() {
    HttpResponse<String> answer = federate("*/*");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEmpty();
    assertThat(federate("*/*", "rate(x[5m])").statusCode()).isEqualTo(400);
  }
}
