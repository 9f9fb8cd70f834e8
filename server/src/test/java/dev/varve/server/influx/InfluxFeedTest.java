package dev.varve.server.influx;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.ServerConfig.Feed;
import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** Line protocol over TCP, as sent by Telegraf's socket_writer. */
@TestInstance(Lifecycle.PER_CLASS)
class InfluxFeedTest {
  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, List.of(new Feed.Influx("s")), "buckets");
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private void send(String lines) throws IOException {
    try (Socket socket = server.connectTo(0)) {
      socket.getOutputStream().write(lines.getBytes(UTF_8));
      socket.shutdownOutput();
      assertThat(socket.getInputStream().readAllBytes()).isEmpty();
    }
  }

  private String value(String query) {
    return server.get("/api/v1/query?time=1700000000&query=" + query).body();
  }

  @Test
  void takesLinesInTheConfiguredPrecision() throws IOException {
    send("CPU,host=a value=1.5 1700000000\nbad\n# comment\nmem,host=a value=2i 1700000000\n");
    assertThat(value("CPU")).contains("\"1.5\"");
    assertThat(value("mem")).contains("\"2\"");
    assertThat(server.get("/metrics").body())
        .contains("varve_lines_total{dialect=\"influx\",outcome=\"bad\"}");
  }

  /** Permission to write a text must not imply permission to write lines. */
  @Test
  void takesNoLinesOutOfATextThatHoldsALineEnd() throws IOException {
    send("log msg=\"x\nforged value=1 1700000000\nend\" 1700000000\nreal value=3 1700000000\n");
    assertThat(value("forged")).contains("\"result\":[]");
    assertThat(value("real")).contains("\"3\"");
  }

  @Test
  void closesTheConnectionAtALineWithoutEnd() throws IOException {
    try {
      send(
          "early value=4 1700000000\nlog msg=\""
              + "x".repeat(2 << 20)
              + "\nforged2 value=1 1700000000\n");
    } catch (SocketException e) {
      assertThat(e).hasMessageMatching("(?i).*(reset|broken|abort|closed).*");
    }
    assertThat(value("early")).contains("\"4\"");
    assertThat(value("forged2")).contains("\"result\":[]");
  }
}
