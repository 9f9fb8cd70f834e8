package dev.varve.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.formats.protobuf.WireWriter;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xerial.snappy.Snappy;

/** The first and last times of 64 bits, in every layout and dialect. */
@TestInstance(Lifecycle.PER_CLASS)
class TimeEndsTest {
  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "buckets", "kairosdb", "heroic", "opentsdb");
  }

  @AfterAll
  void stop() {
    server.close();
  }

  /**
   * @param body contains TIME in place of the time; null for a remote write
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "/varve/v1/points | {\"metric\":\"m\",\"tags\":{\"a\":\"b\"},\"time\":TIME,\"value\":1.5}",
        "/api/v1/datapoints | {\"name\":\"m\",\"tags\":{\"a\":\"b\"},\"datapoints\":[[TIME,1.5]]}",
        "/write?precision=ms | m,a=b value=1.5 TIME",
        "/api/put?details | {\"metric\":\"m\",\"tags\":{\"a\":\"b\"},\"timestamp\":TIME,\"value\":1.5}",
        "/api/v1/import/prometheus | m{a=\"b\"} 1.5 TIME",
        "/api/v1/write | "
      })
  void refusesATimeOutOfRangeByItsOwnReason(String path, String body) throws IOException {
    for (String layout : new String[] {"buckets", "kairosdb", "heroic", "opentsdb"}) {
      for (long time : new long[] {Long.MAX_VALUE, Long.MIN_VALUE}) {
        boolean taken = time == Long.MIN_VALUE && layout.equals("buckets");
        HttpResponse<String> answer =
            body == null
                ? remoteWrite("/datasets/" + layout + path, time)
                : server.post(
                    "/datasets/" + layout + path, body.replace("TIME", Long.toString(time)));
        String what = layout + " " + path + " " + time + ": " + answer;
        assertThat(answer.body()).as(what).doesNotContain("another server");
        if (time == Long.MAX_VALUE) {
          assertThat(answer.statusCode() / 100).as(what).isNotEqualTo(5);
          assertThat(answer.body()).as(what).contains("9223372036854775807");
          assertThat(answer.body()).as(what).doesNotContain("1970");
        } else if (!taken) {
          assertThat(answer.body()).as(what).contains("-9223372036854775808");
        }
      }
    }
  }

  private HttpResponse<String> remoteWrite(String path, long time) throws IOException {
    WireWriter name = new WireWriter().text(1, "__name__").text(2, "m");
    WireWriter tag = new WireWriter().text(1, "a").text(2, "b");
    WireWriter sample = new WireWriter().real(1, 1.5).varint(2, time);
    WireWriter message =
        new WireWriter()
            .message(1, new WireWriter().message(1, name).message(1, tag).message(2, sample));
    return server.send(
        server
            .request(path)
            .header("Content-Type", "application/x-protobuf")
            .header("Content-Encoding", "snappy")
            .POST(BodyPublishers.ofByteArray(Snappy.compress(message.toBytes()))));
  }
}
