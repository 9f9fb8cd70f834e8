package dev.varve.server.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.formats.protobuf.WireReader;
import dev.varve.formats.protobuf.WireWriter;
import dev.varve.server.TestServer;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.xerial.snappy.Snappy;

@TestInstance(Lifecycle.PER_CLASS)
class RemoteReadTest {
  private static final long START = 1_700_000_000_000L;
  private static final long STALE_BITS = 0x7ff0000000000002L;

  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "buckets");
    WireWriter message = new WireWriter();
    message.message(1, series("steady", "a", "b", 10, 15_000));
    message.message(1, series("long", "a", "b", 300, 1_000));
    // Upper-case labels sort before __name__, so these are found in another order.
    message.message(1, series("mixed", "Z", "1", 2, 1_000));
    message.message(1, series("mixed", "a", "1", 2, 1_000));
    message.message(1, series("mixed", "A", "2", 2, 1_000));
    message.message(
        1,
        labels("ended", "a", "b")
            .message(2, sample(START, 1))
            .message(2, sample(START + 1, Double.longBitsToDouble(STALE_BITS))));
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

  private static WireWriter series(String metric, String name, String value, int count, int step) {
    WireWriter series = labels(metric, name, value);
    for (int i = 0; i < count; i++) {
      series.message(2, sample(START + (long) i * step, i));
    }
    return series;
  }

  private static WireWriter labels(String metric, String name, String value) {
    return new WireWriter()
        .message(1, new WireWriter().text(1, "__name__").text(2, metric))
        .message(1, new WireWriter().text(1, name).text(2, value));
  }

  private static WireWriter sample(long time, double value) {
    return new WireWriter().real(1, value).varint(2, time);
  }

  private static WireWriter matcher(int type, String name, String value) {
    return new WireWriter().varint(1, type).text(2, name).text(3, value);
  }

  private static WireWriter query(long from, long to, WireWriter... matchers) {
    WireWriter query = new WireWriter().varint(1, from).varint(2, to);
    Arrays.stream(matchers).forEach(matcher -> query.message(3, matcher));
    return query;
  }

  private HttpResponse<byte[]> read(byte[] request) throws IOException, InterruptedException {
    return send(Snappy.compress(request));
  }

  private HttpResponse<byte[]> send(byte[] body) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          server
              .request("/api/v1/read")
              .header("Content-Type", "application/x-protobuf")
              .header("Content-Encoding", "snappy")
              .header("Accept-Encoding", "gzip, zstd, snappy")
              .POST(BodyPublishers.ofByteArray(body))
              .build(),
          HttpResponse.BodyHandlers.ofByteArray());
    }
  }

  /** Returns the samples of a one-message answer: series to times to values. */
  private List<Map<String, Map<Long, Double>>> samples(WireWriter request) throws Exception {
    HttpResponse<byte[]> answer = read(request.toBytes());
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/x-protobuf");
    assertThat(answer.headers().firstValue("Content-Encoding")).hasValue("snappy");
    List<Map<String, Map<Long, Double>>> results = new ArrayList<>();
    WireReader response = new WireReader(Snappy.uncompress(answer.body()));
    while (response.next()) {
      Map<String, Map<Long, Double>> result = new TreeMap<>();
      WireReader series = response.message();
      while (series.next()) {
        readSeries(series.message(), result);
      }
      results.add(result);
    }
    return results;
  }

  private static void readSeries(WireReader series, Map<String, Map<Long, Double>> into) {
    StringBuilder name = new StringBuilder();
    Map<Long, Double> samples = new TreeMap<>();
    while (series.next()) {
      WireReader part = series.message();
      if (series.field() == 1) {
        part.next();
        name.append(part.text()).append('=');
        part.next();
        name.append(part.text()).append(' ');
      } else {
        part.next();
        double value = part.real();
        part.next();
        samples.put(part.varint(), value);
      }
    }
    into.put(name.toString(), samples);
  }

  @Test
  void answersWithSamples() throws Exception {
    WireWriter request =
        new WireWriter()
            .message(1, query(START, START + 15_000, matcher(0, "__name__", "steady")))
            .message(
                1,
                query(
                    START + 1_000,
                    START + 9_000,
                    matcher(2, "__name__", "mi.*|ended"),
                    matcher(1, "Z", "1"),
                    matcher(3, "A", "2|3")));
    assertThat(samples(request))
        .isEqualTo(
            List.of(
                Map.of("__name__=steady a=b ", Map.of(START, 0.0, START + 15_000, 1.0)),
                Map.of("__name__=mixed a=1 ", Map.of(START + 1_000, 1.0))));
  }

  @Test
  void keepsTheMarkersOfAnEnd() throws Exception {
    Map<String, Map<Long, Double>> result =
        samples(
                new WireWriter()
                    .message(1, query(START, START + 1, matcher(0, "__name__", "ended"))))
            .getFirst();
    Map<Long, Double> ended = Objects.requireNonNull(result.get("__name__=ended a=b "));
    assertThat(Double.doubleToRawLongBits(Objects.requireNonNull(ended.get(START + 1))))
        .isEqualTo(STALE_BITS);
  }

  @Test
  void readsNoMoreThanTheHintsSay() throws Exception {
    WireWriter hinted =
        query(START, START + 60_000, matcher(0, "__name__", "steady"))
            .message(4, new WireWriter().varint(3, START + 15_000).varint(4, START + 30_000));
    assertThat(samples(new WireWriter().message(1, hinted)).getFirst().values())
        .containsExactly(Map.of(START + 15_000, 1.0, START + 30_000, 2.0));
    WireWriter withoutSamples =
        query(START, START + 60_000, matcher(0, "__name__", "steady"))
            .message(4, new WireWriter().text(2, "series"));
    assertThat(samples(new WireWriter().message(1, withoutSamples)).getFirst())
        .isEqualTo(Map.of("__name__=steady a=b ", Map.of()));
  }

  @Test
  void streamsTheBytesOfTheDocumentation() throws Exception {
    String page = Files.readString(Path.of("../docs/api/prometheus.md"));
    HttpResponse<byte[]> answer = read(hex("request", page));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type"))
        .hasValue("application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse");
    assertThat(answer.headers().firstValue("Content-Encoding")).isEmpty();
    assertThat(HexFormat.of().formatHex(answer.body()))
        .isEqualTo(HexFormat.of().formatHex(hex("frame", page)));
  }

  private static byte[] hex(String name, String page) {
    Matcher matcher = Pattern.compile("(?m)^" + name + " +((?:[0-9a-f ]+\n? *)+)$").matcher(page);
    assertThat(matcher.find()).as(name).isTrue();
    return HexFormat.of().parseHex(matcher.group(1).replaceAll("\\s", ""));
  }

  @Test
  void streamsSeriesInTheOrderOfTheirLabels() throws Exception {
    WireWriter request =
        new WireWriter()
            .message(1, query(START, START + 1_000, matcher(0, "__name__", "nothing")))
            .message(1, query(START, START + 1_000, matcher(0, "__name__", "mixed")))
            .varint(2, 1);
    assertThat(frames(read(request.toBytes()).body()))
        .containsExactly(
            "1: A=2 __name__=mixed chunks [2]",
            "1: Z=1 __name__=mixed chunks [2]",
            "1: __name__=mixed a=1 chunks [2]");
  }

  @Test
  void refusesBodiesThatSayThatTheyBecomeHuge() throws Exception {
    byte[] announces = {(byte) 0x80, (byte) 0x80, (byte) 0x80, (byte) 0x80, 1, 0};
    HttpResponse<byte[]> answer = send(announces);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(new String(answer.body(), StandardCharsets.UTF_8)).contains("snappy's block format");
    assertThat(send(Snappy.compress(new byte[2 << 20])).statusCode()).isEqualTo(413);
  }

  @Test
  void refusesAThousandQueriesAndOne() throws Exception {
    WireWriter request = new WireWriter();
    for (int i = 0; i <= 1_000; i++) {
      request.message(1, new WireWriter());
    }
    HttpResponse<byte[]> answer = read(request.toBytes());
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(new String(answer.body(), StandardCharsets.UTF_8))
        .contains("more than 1,000 queries");
  }

  @Test
  void cutsLongSeriesIntoChunks() throws Exception {
    WireWriter request =
        new WireWriter()
            .message(1, query(START, START + 299_000, matcher(0, "__name__", "long")))
            .bytes(2, new byte[] {1, 0});
    assertThat(frames(read(request.toBytes()).body()))
        .containsExactly("0: __name__=long a=b chunks [120, 120, 60]");
  }

  /** Returns the content of frames after verifying their checksums. */
  private static List<String> frames(byte[] body) throws IOException {
    List<String> frames = new ArrayList<>();
    ByteArrayInputStream bytes = new ByteArrayInputStream(body);
    DataInputStream in = new DataInputStream(bytes);
    while (bytes.available() > 0) {
      int length = 0;
      int shift = 0;
      int b;
      do {
        b = in.readUnsignedByte();
        length |= (b & 0x7f) << shift;
        shift += 7;
      } while (b > 0x7f);
      int checksum = in.readInt();
      byte[] message = in.readNBytes(length);
      CRC32C crc = new CRC32C();
      crc.update(message, 0, message.length);
      assertThat((int) crc.getValue()).isEqualTo(checksum);
      frames.add(frame(new WireReader(message)));
    }
    return frames;
  }

  private static String frame(WireReader message) {
    StringBuilder text = new StringBuilder();
    List<Integer> counts = new ArrayList<>();
    long query = 0;
    while (message.next()) {
      if (message.field() == 2) {
        query = message.varint();
        continue;
      }
      WireReader series = message.message();
      while (series.next()) {
        WireReader part = series.message();
        if (series.field() == 1) {
          part.next();
          text.append(part.text()).append('=');
          part.next();
          text.append(part.text()).append(' ');
        } else {
          counts.add(samplesOf(part));
        }
      }
    }
    return query + ": " + text + "chunks " + counts;
  }

  /** Returns the number of samples, which are one second apart. */
  private static int samplesOf(WireReader chunk) {
    long from = 0;
    long to = 0;
    while (chunk.next()) {
      switch (chunk.field()) {
        case 1 -> from = chunk.varint();
        case 2 -> to = chunk.varint();
        default -> chunk.skip();
      }
    }
    return (int) ((to - from) / 1_000) + 1;
  }

  @Test
  void tellsWhatIsWrong() throws Exception {
    assertThat(text(read(new byte[] {7, 7, 7}))).contains("the body is not a read request");
    assertThat(text(read(new WireWriter().message(1, query(0, 1, matcher(2, "a", "("))).toBytes())))
        .contains("is not a valid RE2 pattern");
    assertThat(text(read(new WireWriter().message(1, query(0, 1, matcher(4, "a", "b"))).toBytes())))
        .contains("a matcher of type 4");
    assertThat(text(read(new WireWriter().varint(2, 7).toBytes()))).contains("supported are 0");
    HttpResponse<String> plain =
        server.send(
            server
                .request("/api/v1/read")
                .header("Content-Encoding", "gzip")
                .POST(BodyPublishers.ofString("x")));
    assertThat(plain.statusCode()).isEqualTo(415);
  }

  private static String text(HttpResponse<byte[]> answer) {
    assertThat(answer.statusCode()).isEqualTo(400);
    return new String(answer.body(), StandardCharsets.UTF_8);
  }
}
