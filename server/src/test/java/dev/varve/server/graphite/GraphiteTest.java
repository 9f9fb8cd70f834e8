package dev.varve.server.graphite;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.server.ServerConfig.Feed;
import dev.varve.server.TestServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** Writes lines and pickles over sockets and reads them with PromQL. */
@TestInstance(Lifecycle.PER_CLASS)
class GraphiteTest {
  private static final int LINES = 0;
  private static final int PICKLES = 1;

  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    List<String> templates = List.of("servers.* .host.measurement* site=here");
    server =
        new TestServer(
            directory,
            null,
            List.of(new Feed.Graphite(false, templates), new Feed.Graphite(true, templates)),
            "buckets");
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private String value(String query, long time) {
    return server
        .get(
            "/api/v1/query?time="
                + time
                + "&query="
                + query.replace("{", "%7B").replace("}", "%7D").replace("\"", "%22"))
        .body();
  }

  private void send(int feed, byte[] bytes) throws IOException {
    try (Socket socket = server.connectTo(feed)) {
      OutputStream out = socket.getOutputStream();
      out.write(bytes);
      socket.shutdownOutput();
      // The server closes the connection after everything has been written.
      assertThat(socket.getInputStream().readAllBytes()).isEmpty();
    }
  }

  private static byte[] frame(String pickle) {
    byte[] bytes = pickle.getBytes(UTF_8);
    return ByteBuffer.allocate(4 + bytes.length).putInt(bytes.length).put(bytes).array();
  }

  @Test
  void takesLinesWithAndWithoutTags() throws IOException {
    send(
        LINES,
        """
        servers.web1.load.short 1.5 1700000000
        Upper.Case 7 1700000000.25\r
        disk.used;host=a;path=/var 42 1700000000
        not a line
        nan.is.none nan 1700000000
        cut.off 3 17\
        """
            .getBytes(UTF_8));
    assertThat(value("{__name__=\"load.short\",host=\"web1\",site=\"here\"}", 1_700_000_000))
        .contains("\"1.5\"");
    assertThat(value("{__name__=\"Upper.Case\"}", 1_700_000_001)).contains("\"7\"");
    assertThat(value("{__name__=\"disk.used\",host=\"a\",path=\"/var\"}", 1_700_000_000))
        .contains("\"42\"");
    assertThat(value("{__name__=\"nan.is.none\"}", 1_700_000_000)).contains("\"result\":[]");
    assertThat(value("{__name__=\"cut.off\"}", 17)).contains("\"result\":[]");
    assertThat(server.get("/metrics").body())
        .contains("varve_lines_total{dialect=\"graphite\",outcome=\"bad\"} 2.0");
  }

  @Test
  void givesLinesWithoutATimeTheirs() throws IOException {
    send(LINES, "now.a 1\nnow.b 2 -1\n".getBytes(UTF_8));
    long now = System.currentTimeMillis() / 1000 + 1;
    assertThat(value("sum({__name__=~\"now.*\"})", now)).contains("\"3\"");
  }

  @Test
  void writesWhatHasComeWhileTheConnectionStaysOpen() throws IOException {
    try (Socket socket = server.connectTo(LINES)) {
      socket.getOutputStream().write("open.end 5 1700000000\nhalf".getBytes(UTF_8));
      await()
          .untilAsserted(
              () -> assertThat(value("{__name__=\"open.end\"}", 1_700_000_000)).contains("\"5\""));
      socket.getOutputStream().write(" 6 1700000000\n".getBytes(UTF_8));
      await().untilAsserted(() -> assertThat(value("half", 1_700_000_000)).contains("\"6\""));
    }
  }

  @Test
  void passesOverALineThatIsTooLong() throws IOException {
    send(LINES, ("x".repeat(40_000) + " 1 1700000000\nbehind.it 4 1700000000\n").getBytes(UTF_8));
    assertThat(value("{__name__=\"behind.it\"}", 1_700_000_000)).contains("\"4\"");
  }

  @Test
  void takesNothingAfterALongRequestOfABrowser() throws IOException {
    String request = "POST /" + "x".repeat(40_000) + " HTTP/1.1\nHost: a\n\n";
    send(LINES, (request + "from.page 4 1700000000\n").getBytes(UTF_8));
    assertThat(value("{__name__=\"from.page\"}", 1_700_000_000)).doesNotContain("\"4\"");
  }

  @Test
  void takesPickles() throws IOException {
    String good = "(lp0\n(S'servers.web2.load'\np1\n(I1700000000\nF1.25\ntp2\ntp3\na.";
    String call = "(lp0\ncos\nsystem\np1\n(S'x'\ntRa.";
    String odd = "(lp0\n(S'a'\nI1\nta(S'odd.one'\n(S'1700000000'\nS'8.5'\ntta.";
    ByteBuffer all = ByteBuffer.allocate(1 << 10);
    all.put(frame(good)).put(frame(call)).put(frame(odd));
    send(PICKLES, Arrays.copyOf(all.array(), all.position()));
    assertThat(value("load{host=\"web2\",site=\"here\"}", 1_700_000_000)).contains("\"1.25\"");
    assertThat(value("{__name__=\"odd.one\"}", 1_700_000_000)).contains("\"8.5\"");
    assertThat(server.get("/metrics").body())
        .contains("varve_lines_total{dialect=\"graphite-pickle\",outcome=\"read\"} 2.0")
        .contains("varve_lines_total{dialect=\"graphite-pickle\",outcome=\"bad\"} ");
  }

  @Test
  void closesAConnectionWhoseFramesCannotBeFound() throws IOException {
    send(PICKLES, "plain.text 1 1700000000\n".getBytes(UTF_8));
    assertThat(value("{__name__=\"plain.text\"}", 1_700_000_000)).contains("\"result\":[]");
  }
}
