package dev.varve.server.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.formats.protobuf.WireWriter;
import dev.varve.server.BreakingStore;
import dev.varve.server.TestServer;
import dev.varve.server.ingest.Door;
import dev.varve.server.ingest.Intake;
import dev.varve.server.ingest.LabelLimits;
import dev.varve.server.queries.QueryOptions;
import dev.varve.server.relabel.RelabelConfig;
import dev.varve.server.relabel.Relabelling;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.xerial.snappy.Snappy;

@TestInstance(Lifecycle.PER_CLASS)
class RemoteWriteTest {
  private static final long START = 1_700_000_000_000L;
  private static final double STALE = Double.longBitsToDouble(0x7ff0000000000002L);

  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    RelabelConfig drop =
        new RelabelConfig(List.of("__name__"), null, "unwanted", null, null, null, "drop");
    server =
        new TestServer(
            directory,
            null,
            List.of(),
            null,
            new Door(Relabelling.of(List.of(drop)), LabelLimits.DEFAULTS),
            "buckets",
            "opentsdb",
            "heroic",
            "kairosdb");
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private HttpResponse<String> write(String path, String type, byte[] message) throws IOException {
    return server.send(
        server
            .request(path + "/api/v1/write")
            .header("Content-Type", type)
            .header("Content-Encoding", "snappy")
            .POST(BodyPublishers.ofByteArray(Snappy.compress(message))));
  }

  private HttpResponse<String> first(String path, WireWriter message) throws IOException {
    return write(path, "application/x-protobuf", message.toBytes());
  }

  private String query(String path, String query, double time) {
    return server
        .get(
            path
                + "/api/v1/query?time="
                + time
                + "&query="
                + URLEncoder.encode(query, StandardCharsets.UTF_8))
        .body();
  }

  private static WireWriter label(String name, String value) {
    return new WireWriter().text(1, name).text(2, value);
  }

  private static WireWriter sample(double value, long time) {
    return new WireWriter().real(1, value).varint(2, time);
  }

  private static WireWriter series(String... labels) {
    WireWriter series = new WireWriter();
    for (int i = 0; i < labels.length; i += 2) {
      series.message(1, label(labels[i], labels[i + 1]));
    }
    return series;
  }

  @Test
  void takesTheFirstVersion() throws IOException {
    WireWriter request =
        new WireWriter()
            .message(
                1,
                series("__name__", "up", "job", "ö", "empty", "")
                    .message(2, sample(1, START))
                    .message(2, sample(STALE, START + 15_000)))
            .message(3, new WireWriter().varint(1, 2).text(2, "up"));
    HttpResponse<String> answer = first("", request);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    assertThat(answer.headers().firstValue("X-Prometheus-Remote-Write-Samples-Written"))
        .hasValue("2");
    assertThat(query("", "up", 1_700_000_010))
        .contains("{\"metric\":{\"__name__\":\"up\",\"job\":\"ö\"},\"value\":[1700000010,\"1\"]}");
    assertThat(query("", "up", 1_700_000_020)).contains("\"result\":[]");
  }

  @Test
  void keepsWhatIsSaidOfMetrics() throws IOException {
    WireWriter first =
        new WireWriter()
            .message(
                3,
                new WireWriter().varint(1, 3).text(2, "said_seconds").text(4, "Help.").text(5, "s"))
            .message(3, new WireWriter().varint(1, 99).text(2, "unheard"));
    assertThat(first("", first).statusCode()).isEqualTo(204);
    WireWriter second = new WireWriter();
    List.of("", "__name__", "told_seconds_bucket", "le", "1", "Told.", "s")
        .forEach(symbol -> second.text(4, symbol));
    second.message(
        5,
        new WireWriter()
            .bytes(1, new byte[] {1, 2, 3, 4})
            .message(2, sample(5, START))
            .message(5, new WireWriter().varint(1, 3).varint(3, 5).varint(4, 6)));
    HttpResponse<String> answer =
        write("", "application/x-protobuf;proto=io.prometheus.write.v2.Request", second.toBytes());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    assertThat(server.get("/api/v1/metadata").body())
        .contains("\"said_seconds\":[{\"type\":\"histogram\",\"unit\":\"s\",\"help\":\"Help.\"}]")
        .contains("\"told_seconds\":[{\"type\":\"histogram\",\"unit\":\"s\",\"help\":\"Told.\"}]")
        .doesNotContain("unheard");
  }

  @Test
  void takesTheSecondVersion() throws IOException {
    byte[] references = {1, 2, 3, 4};
    WireWriter request = new WireWriter();
    List.of("", "__name__", "second_total", "job", "a").forEach(symbol -> request.text(4, symbol));
    request.message(
        5,
        new WireWriter()
            .bytes(1, references)
            .message(2, sample(5, START))
            .message(2, sample(7, START + 1)));
    HttpResponse<String> answer =
        write(
            "/prometheus",
            "application/x-protobuf;proto=io.prometheus.write.v2.Request",
            request.toBytes());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    assertThat(answer.headers().firstValue("X-Prometheus-Remote-Write-Samples-Written"))
        .hasValue("2");
    assertThat(query("", "second_total", 1_700_000_001))
        .contains("\"7\"")
        .contains("\"job\":\"a\"");
  }

  @Test
  void keepsWhatIsGoodAndNamesTheRest() throws IOException {
    WireWriter request =
        new WireWriter()
            .message(1, series("job", "nameless").message(2, sample(1, START)))
            .message(1, series("__name__", "native", "job", "h").message(4, new WireWriter()))
            .message(1, series("__name__", "good", "job", "g").message(2, sample(4, START)));
    HttpResponse<String> answer = first("", request);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body())
        .startsWith("2 samples were refused, the others are written")
        .contains("a series without a name", "native histograms are not supported");
    assertThat(query("", "good", 1_700_000_000)).contains("\"4\"");
  }

  @Test
  void leavesExemplarsOutAndSaysHowManyItHasWritten() throws IOException {
    WireWriter exemplar =
        new WireWriter().message(1, label("trace_id", "a")).real(2, 1).varint(3, START);
    WireWriter request =
        new WireWriter()
            .message(
                1,
                series("__name__", "with_exemplar", "job", "e")
                    .message(2, sample(3, START))
                    .message(3, exemplar));
    assertWritten(first("", request), 204, 1, 1);
    assertThat(query("", "with_exemplar", 1_700_000_000)).contains("\"3\"");
    assertThat(server.get("/api/v1/query_exemplars?query=with_exemplar").body())
        .contains("\"data\":[]");
  }

  @Test
  void refusesNativeHistogramsOfTheSecondVersionByNameAndKeepsTheRest() throws IOException {
    WireWriter request = new WireWriter();
    List.of("", "__name__", "second_native", "second_beside")
        .forEach(symbol -> request.text(4, symbol));
    WireWriter exemplar = new WireWriter().bytes(1, new byte[] {1, 2}).real(2, 1).varint(3, START);
    request
        .message(
            5,
            new WireWriter()
                .bytes(1, new byte[] {1, 2})
                .message(3, new WireWriter().varint(1, 4).varint(15, START)))
        .message(
            5,
            new WireWriter()
                .bytes(1, new byte[] {1, 3})
                .message(2, sample(6, START))
                .message(4, exemplar));
    HttpResponse<String> answer =
        write("", "application/x-protobuf;proto=io.prometheus.write.v2.Request", request.toBytes());
    assertWritten(answer, 400, 1, 1);
    assertThat(answer.body())
        .startsWith("1 samples were refused")
        .contains("second_native", "native histograms are not supported");
    assertThat(query("", "second_beside", 1_700_000_000)).contains("\"6\"");
  }

  private static void assertWritten(
      HttpResponse<String> answer, int status, int samples, int exemplars) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    String head = "X-Prometheus-Remote-Write-";
    assertThat(answer.headers().firstValue(head + "Samples-Written"))
        .hasValue(Integer.toString(samples));
    assertThat(answer.headers().firstValue(head + "Histograms-Written")).hasValue("0");
    assertThat(answer.headers().firstValue(head + "Exemplars-Written"))
        .hasValue(Integer.toString(exemplars));
  }

  /** Returns a request of version 2 with one series without labels. */
  private static WireWriter second(String name, WireWriter series) {
    WireWriter request = new WireWriter();
    List.of("", "__name__", name).forEach(symbol -> request.text(4, symbol));
    return request.message(5, series);
  }

  /**
   * If nothing was written, a sender assumes that nothing was understood and reports lost samples.
   */
  @Test
  void countsWhatIsLeftOutOnPurpose() throws IOException {
    String type = "application/x-protobuf;proto=io.prometheus.write.v2.Request";
    byte[] name = {1, 2};
    WireWriter markers =
        second(
            "ended",
            new WireWriter()
                .bytes(1, name)
                .message(2, sample(STALE, START))
                .message(2, sample(STALE, START + 1)));
    for (String dataset : List.of("heroic", "kairosdb", "opentsdb")) {
      assertWritten(write("/datasets/" + dataset, type, markers.toBytes()), 204, 2, 0);
    }
    WireWriter dropped =
        second("unwanted", new WireWriter().bytes(1, name).message(2, sample(1, START)));
    assertWritten(write("", type, dropped.toBytes()), 204, 1, 0);
    assertThat(query("", "unwanted", 1_700_000_000)).contains("\"result\":[]");
    WireWriter exemplars =
        second(
            "alone",
            new WireWriter()
                .bytes(1, name)
                .message(4, new WireWriter().bytes(1, name).real(2, 1).varint(3, START)));
    assertWritten(write("", type, exemplars.toBytes()), 204, 0, 1);
  }

  @Test
  void saysWhatIsWrittenWhereTheStoreFailsBehindIt(@TempDir Path directory) throws IOException {
    try (TestServer breaking =
        TestServer.start(directory, BreakingStore.KIND, QueryOptions.DEFAULTS)) {
      WireWriter whole = series("__name__", "whole");
      for (int i = 0; i < Intake.BATCH; i++) {
        whole.message(2, sample(i, START + i));
      }
      WireWriter broken = series("__name__", BreakingStore.WORD).message(2, sample(1, START));
      byte[] message = new WireWriter().message(1, whole).message(1, broken).toBytes();
      HttpResponse<String> answer =
          breaking.send(
              breaking
                  .request("/api/v1/write")
                  .POST(BodyPublishers.ofByteArray(Snappy.compress(message))));
      assertWritten(answer, 503, Intake.BATCH, 0);
      assertThat(answer.headers().firstValue("Retry-After")).isPresent();
      assertThat(breaking.get("/api/v1/query?time=1700000000&query=whole").body())
          .contains("\"0\"");
    }
  }

  @Test
  void aSeriesThatIsMalformedKeepsNoOtherFromBeingWritten() throws IOException {
    WireWriter request =
        new WireWriter()
            .message(
                1,
                series("__name__", "twice", "job", "a", "job", "b")
                    .message(2, sample(1, START))
                    .message(2, sample(2, START + 1))
                    .message(4, new WireWriter()))
            .message(1, series("__name__", "x", "", "b").message(2, sample(1, START)))
            .message(1, series("__name__", "behind", "job", "g").message(2, sample(9, START)));
    HttpResponse<String> answer = first("", request);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body())
        .startsWith("4 samples were refused")
        .contains("a series has the label 'job' twice", "a label without a name");
    assertThat(answer.headers().firstValue("X-Prometheus-Remote-Write-Samples-Written"))
        .hasValue("1");
    assertThat(query("", "behind", 1_700_000_000)).contains("\"9\"");
  }

  /** A known series is found by the bytes of its labels, so the second message decodes none. */
  @Test
  void findsKnownSeriesWhateverTheirLabelsAndOrder() throws IOException {
    WireWriter scattered =
        new WireWriter()
            .message(1, new WireWriter().text(1, "__name__").text(2, "known"))
            .message(2, sample(7, START))
            .message(1, new WireWriter().text(1, "job").text(2, "scattered"));
    for (int i = 0; i < 3; i++) {
      WireWriter request = new WireWriter();
      for (String job : List.of("a", "b", "\uFFFD", "a job with a name of more than 16 bytes")) {
        request.message(
            1, series("__name__", "known", "job", job).message(2, sample(i, START + i)));
      }
      request.message(
          1, series("job", "swapped", "__name__", "known").message(2, sample(i, START + i)));
      request.message(1, series("job", "unnamed").message(2, sample(i, START + i)));
      request.message(1, scattered);
      HttpResponse<String> answer = first("", request);
      assertWritten(answer, 400, 6, 0);
      assertThat(answer.body()).startsWith("1 samples were refused").contains("without a name");
    }
    assertThat(query("", "count by (job) (known)", 1_700_000_010))
        .contains(
            "\"a\"", "\"b\"", "\"\uFFFD\"", "more than 16 bytes", "\"swapped\"", "\"scattered\"");
    assertThat(query("", "count(count_over_time(known[1m]) == 3)", 1_700_000_010))
        .contains("\"5\"");
  }

  @Test
  void countsTheSamplesBehindOneThatIsMalformed() throws IOException {
    WireWriter request =
        new WireWriter()
            .message(
                1,
                series("__name__", "broken_inside", "job", "a")
                    .message(2, sample(1, START))
                    .message(2, new WireWriter().text(1, "no number"))
                    .message(2, sample(3, START + 2)));
    HttpResponse<String> answer = first("", request);
    assertWritten(answer, 400, 1, 0);
    assertThat(answer.body()).startsWith("2 samples were refused");
  }

  @Test
  void leavesMarkersOutThatALayoutCannotHold() throws IOException {
    WireWriter request =
        new WireWriter()
            .message(
                1,
                series("__name__", "up", "job", "a")
                    .message(2, sample(1, START))
                    .message(2, sample(STALE, START + 15_000)));
    assertWritten(first("/datasets/opentsdb", request), 204, 2, 0);
    assertThat(query("/datasets/opentsdb", "up", 1_700_000_020)).contains("\"1\"");
  }

  @Test
  void refusesWhatIsNoRemoteWrite() throws IOException {
    assertThat(write("", "application/json", new byte[0]).statusCode()).isEqualTo(415);
    assertThat(write("", "application/x-protobuf;proto=io.other", new byte[0]).statusCode())
        .isEqualTo(415);
    assertThat(write("", "application/x-protobuf", new byte[] {10, 100}).body())
        .contains("field 1 is cut off");
    HttpResponse<String> plain =
        server.send(
            server.request("/api/v1/write").POST(BodyPublishers.ofByteArray(new byte[] {1, 2, 3})));
    assertThat(plain.statusCode()).isEqualTo(400);
    assertThat(plain.body()).contains("snappy");
    // The body announces a length of 1 TiB.
    byte[] huge = {(byte) 0x80, (byte) 0x80, (byte) 0x80, (byte) 0x80, 0x0f, 0};
    assertThat(
            server
                .send(server.request("/api/v1/write").POST(BodyPublishers.ofByteArray(huge)))
                .statusCode())
        .isIn(400, 413);
  }
}
