package dev.varve.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.ServerConfig.Feed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A stopping server keeps the complete items that senders of feeds, which get no answers, have
 * sent.
 */
class FeedDrainTest {
  private static final int LINES = 0;
  private static final int PICKLES = 1;
  private static final int INFLUX = 2;

  /** More than one read returns, but less than a connection buffers. */
  private static final int COUNT = 1_000;

  @Test
  void keepsWhatHasComeWhole(@TempDir Path directory) throws IOException {
    List<Feed> feeds =
        List.of(
            new Feed.Graphite(false, List.of()),
            new Feed.Graphite(true, List.of()),
            new Feed.Influx("s"));
    try (TestServer server = new TestServer(directory, null, feeds, "buckets");
        Socket telnet = server.connect();
        Socket lines = server.connectTo(LINES);
        Socket pickles = server.connectTo(PICKLES);
        Socket influx = server.connectTo(INFLUX)) {
      send(telnet, i -> text("put telnet %d %d a=b\n".formatted(1_700_000_000 + i, i)));
      send(lines, i -> text("lines %d %d\n".formatted(i, 1_700_000_000 + i)));
      send(
          pickles,
          i -> frame("(lp0\n(S'pickles'\n(I%d\nI%d\ntta.".formatted(1_700_000_000 + i, i)));
      send(influx, i -> text("influx value=%d %d\n".formatted(i, 1_700_000_000 + i)));
      server.restart();
      for (String metric : List.of("telnet", "lines", "pickles", "influx")) {
        assertThat(count(server, metric)).as(metric).contains("\"" + COUNT + "\"]");
      }
    }
  }

  private static void send(Socket socket, IntFunction<byte[]> sample) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = 0; i < COUNT; i++) {
      all.write(sample.apply(i));
    }
    byte[] cutOff = sample.apply(COUNT);
    all.write(cutOff, 0, cutOff.length - 3);
    socket.getOutputStream().write(all.toByteArray());
  }

  private static byte[] text(String line) {
    return line.getBytes(UTF_8);
  }

  private static byte[] frame(String pickle) {
    byte[] bytes = text(pickle);
    return ByteBuffer.allocate(Integer.BYTES + bytes.length)
        .putInt(bytes.length)
        .put(bytes)
        .array();
  }

  private static String count(TestServer server, String metric) {
    return server
        .get("/api/v1/query?time=1700010000&query=count_over_time(" + metric + "[1d])")
        .body();
  }
}
