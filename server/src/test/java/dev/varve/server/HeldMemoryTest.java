package dev.varve.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.luben.zstd.Zstd;
import dev.varve.formats.protobuf.WireWriter;
import dev.varve.server.ServerConfig.Feed;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that hold memory of a small budget, over real sockets. */
class HeldMemoryTest {
  private static final int BUDGET = 4 << 20;
  private static final int INFLUX = 0;
  private static final int GRAPHITE = 1;
  private static final int PICKLE = 2;

  @TempDir Path directory;
  private TestServer server;
  private final List<Socket> sockets = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    server =
        TestServer.withMemory(
            directory,
            BUDGET,
            List.of(
                new Feed.Influx("ms"),
                new Feed.Graphite(false, List.of()),
                new Feed.Graphite(true, List.of())));
  }

  @AfterEach
  void nothingIsHeld() throws IOException {
    try (TestServer _ = server) {
      for (Socket socket : sockets) {
        socket.close();
      }
      await().atMost(Duration.ofSeconds(20)).until(() -> held() == 0);
    }
  }

  private long figure(String name) {
    Matcher line =
        Pattern.compile("(?m)^" + Pattern.quote(name) + " (\\S+)$")
            .matcher(server.get("/metrics").body());
    assertThat(line.find()).as(name).isTrue();
    return (long) Double.parseDouble(line.group(1));
  }

  private long held() {
    return figure("varve_write_budget_bytes");
  }

  private long refusals(String reason) {
    return figure("varve_write_budget_refusals_total{reason=\"" + reason + "\"}");
  }

  /** Connects from one of this machine's loopback addresses. */
  private Socket from(int address, int port) throws IOException {
    Socket socket = new Socket();
    sockets.add(socket);
    socket.bind(
        new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) address}), 0));
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    socket.setSoTimeout(20_000);
    return socket;
  }

  private void canWrite() {
    HttpResponse<String> written = server.post("/influx/write?precision=ms", "m v=1 1000\n");
    assertThat(written.statusCode()).as(written.body()).isEqualTo(204);
  }

  private static byte[] head(String path, int length) {
    return ("POST "
            + path
            + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: "
            + length
            + "\r\n\r\n")
        .getBytes(ISO_8859_1);
  }

  @Test
  void bodiesThatDoNotEndAreRefusedBeyondTheShareOfTheirClient() throws IOException {
    int each = 100_000;
    for (int i = 0; i < 60; i++) {
      OutputStream out = from(2, server.port()).getOutputStream();
      out.write(head("/api/v1/write", each + 1));
      out.write(new byte[each]);
    }
    await().until(() -> refusals("client") >= 35);
    assertThat(held()).isBetween((long) BUDGET / 4, (long) BUDGET / 2);
    canWrite();
  }

  @Test
  void linesThatDoNotEndAreDroppedBeyondTheShareOfTheirClient() throws IOException {
    byte[] half = ("m,t=" + "x".repeat(500_000)).getBytes(ISO_8859_1);
    List<Socket> feeds = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Socket feed = from(2, server.portOf(INFLUX));
      feeds.add(feed);
      writeAsFarAsTaken(feed, half);
    }
    await().until(() -> refusals("client") >= 10);
    assertThat(held()).isLessThanOrEqualTo(BUDGET / 2);
    canWrite();
    // A line feed ends dropped data; Influx's feed, whose texts may contain line feeds,
    // disconnects.
    for (Socket feed : feeds) {
      feed.close();
    }
    await().until(() -> held() == 0);
    assertThat(server.get("/metrics").body())
        .containsPattern("varve_lines_total\\{dialect=\"influx\",outcome=\"lost\"} [1-9]");
  }

  /** Writes until the server disconnects, which it may do before it has read everything. */
  private static void writeAsFarAsTaken(Socket feed, byte[] bytes) throws IOException {
    try {
      feed.getOutputStream().write(bytes);
    } catch (SocketException e) {
      assertThat(e).hasMessageMatching("Broken pipe|Connection reset.*");
    }
  }

  @Test
  void aFeedGoesOnAfterALineForWhichThereWasNoRoom() throws IOException {
    Socket hog = from(2, server.port());
    hog.getOutputStream().write(head("/api/v1/write", (2 << 20) - 100_000));
    hog.getOutputStream().write(new byte[(2 << 20) - 200_000]);
    await().until(() -> held() > (2 << 20) - 250_000);
    Socket pickles = from(2, server.portOf(PICKLE));
    DataOutputStream out = new DataOutputStream(pickles.getOutputStream());
    out.writeInt(500_000);
    out.write(new byte[500_000]);
    byte[] good = "(lp0\n(S'p.a'\n(I1000\nF1.5\nttp1\na.".getBytes(UTF_8);
    out.writeInt(good.length);
    out.write(good);
    out.flush();
    await()
        .until(() ->
            server
                .get(
                    "/api/v1/query?query=p.a&time=1000"
                        .replace("p.a", "%7B__name__%3D%22p.a%22%7D"))
                .body()
                .contains("1.5"));
    assertThat(server.get("/metrics").body())
        .containsPattern("varve_lines_total\\{dialect=\"graphite-pickle\",outcome=\"lost\"} 1");
  }

  @Test
  void graphiteLinesAreReadWhileNothingElseHasRoom() throws IOException {
    Socket hog = from(2, server.port());
    hog.getOutputStream().write(head("/api/v1/write", (2 << 20) - 100_000));
    await().until(() -> server.get("/metrics").body().contains("varve_write_budget_bytes"));
    Socket lines = from(3, server.portOf(GRAPHITE));
    lines.getOutputStream().write("g.a 2.5 1000\n".getBytes(UTF_8));
    await()
        .until(() ->
            server
                .get("/api/v1/query?query=%7B__name__%3D%22g.a%22%7D&time=1000")
                .body()
                .contains("2.5"));
  }

  /** An OTLP request of a few kilobytes whose only resource expands to 64 MB of zeros. */
  @Test
  void aSmallBodyOfMuchIsRefusedBeforeItIsDecoded() throws Exception {
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    message.write(new byte[] {0x0a, (byte) 0x80, (byte) 0x80, (byte) 0x80, 0x20});
    message.write(new byte[64 << 20]);
    byte[] body = Zstd.compress(message.toByteArray(), 1);
    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      answers.add(
          CompletableFuture.supplyAsync(
              () ->
                  server.send(
                      server
                          .request("/v1/metrics")
                          .header("Content-Type", "application/x-protobuf")
                          .header("Content-Encoding", "zstd")
                          .POST(BodyPublishers.ofByteArray(body))),
              Thread::startVirtualThread));
    }
    for (CompletableFuture<HttpResponse<String>> answer : answers) {
      HttpResponse<String> refusal = answer.get(30, TimeUnit.SECONDS);
      assertThat(refusal.statusCode()).isIn(413, 503);
      assertThat(refusal.body()).contains("write.memory");
    }
    canWrite();
  }

  /** The limit documented in docs/limits.md: 7 MB if a client may hold 24 MB. */
  @ParameterizedTest
  @ValueSource(strings = {"identity", "gzip"})
  void aResourceOfLessThanAThirdOfTheShareOfItsClientIsTaken(String coding) throws IOException {
    byte[] body = resource(BUDGET / 2 / 24 * 7);
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    try (OutputStream out = coding.equals("gzip") ? new GZIPOutputStream(sent) : sent) {
      out.write(body);
    }
    HttpResponse<String> answer =
        server.send(
            server
                .request("/v1/metrics")
                .header("Content-Type", "application/x-protobuf")
                .header("Content-Encoding", coding)
                .POST(BodyPublishers.ofByteArray(sent.toByteArray())));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
  }

  /** Returns one resource of a size in bytes, with 20 points of five attributes in each metric. */
  private static byte[] resource(int size) {
    WireWriter scope = new WireWriter();
    for (int i = 0; scope.size() < size - 3_000; i++) {
      WireWriter points = new WireWriter();
      for (int j = 0; j < 20; j++) {
        WireWriter point = new WireWriter().real(3, 1e-300).real(4, 1);
        for (int k = 0; k < 5; k++) {
          WireWriter value = new WireWriter().text(1, "value-" + i + "-" + j);
          point.message(7, new WireWriter().text(1, "attribute." + k).message(2, value));
        }
        points.message(1, point);
      }
      scope.message(2, new WireWriter().text(1, "metric").message(5, points));
    }
    WireWriter resource = new WireWriter().message(2, scope);
    return new WireWriter().message(1, resource).toBytes();
  }

  /** The announced length of a block is reserved before it is decoded. */
  @Test
  void aBlockOfSnappyThatIsTooLargeIsRefusedBeforeItIsDecoded() {
    byte[] block = new byte[400_000];
    // 8,000,000 bytes.
    block[0] = (byte) 0x80;
    block[1] = (byte) 0xa4;
    block[2] = (byte) 0xe8;
    block[3] = 0x03;
    HttpResponse<String> refusal =
        server.send(
            server
                .request("/api/v1/write")
                .header("Content-Type", "application/x-protobuf")
                .header("Content-Encoding", "snappy")
                .POST(BodyPublishers.ofByteArray(block)));
    assertThat(refusal.statusCode()).as(refusal.body()).isEqualTo(413);
    assertThat(refusal.body()).contains("write.memory");
  }

  @Test
  void aBodyThatNeverFitsIsToldSoAtOnce() throws IOException {
    Socket socket = from(2, server.port());
    socket.getOutputStream().write(head("/influx/write", BUDGET / 2 + 1));
    String answer = answer(socket);
    assertThat(answer).startsWith("HTTP/1.1 413").contains("write.memory");
  }

  private static String answer(Socket socket) throws IOException {
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    InputStream in = socket.getInputStream();
    byte[] buffer = new byte[4096];
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      read.write(buffer, 0, n);
      if (read.toString(UTF_8).contains("write.memory")) {
        break;
      }
    }
    return read.toString(UTF_8);
  }
}
