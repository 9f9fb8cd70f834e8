package dev.varve.server.opentsdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.server.BreakingStore;
import dev.varve.server.TestServer;
import dev.varve.server.queries.QueryOptions;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A sender that behaves as tcollector's does, which no registry of the build has: it asks for the
 * version when it connects and every minute, sends its queue in one write, reads no other answers,
 * and connects again when the server is gone. Over HTTP it sends the same as JSON and keeps its
 * queue unless it gets 2xx or 400.
 */
class TcollectorTest {
  private static final long T = 1_700_000_000L;

  private TestServer server;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    server = TestServer.start(directory, BreakingStore.KIND, QueryOptions.DEFAULTS);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** The thread of tcollector that sends. */
  private final class Sender implements AutoCloseable {
    private static final int BUFFER = 4096;

    private final List<String> queue = new ArrayList<>();
    private final Socket socket;

    /** Connects, and checks that somebody answers. */
    private Sender() throws IOException {
      socket = server.connect();
      socket.setSoTimeout(15_000);
      assertThat(isAlive()).isTrue();
    }

    /** Asks for the version; a server that answers nothing is dead or overloaded. */
    private boolean isAlive() {
      try {
        socket.getOutputStream().write("version\n".getBytes(UTF_8));
        byte[] buffer = new byte[BUFFER];
        int length = socket.getInputStream().read(buffer);
        while (length == BUFFER) {
          length = socket.getInputStream().read(buffer);
        }
        return length > 0;
      } catch (IOException e) {
        return false;
      }
    }

    /** Adds a line of a collector, {@code METRIC TIME VALUE TAGS}. */
    private void collected(String line) {
      queue.add(line);
    }

    private void send() throws IOException {
      StringBuilder all = new StringBuilder();
      for (String line : queue) {
        all.append("put ").append(line);
        all.append(line.contains(" host=") ? "" : " host=web1").append('\n');
      }
      socket.getOutputStream().write(all.toString().getBytes(UTF_8));
      queue.clear();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private String stored(String metric) {
    return server
        .get("/api/query?start=%d&end=%d&m=none:%s".formatted(T - 10, T + 3_600, metric))
        .body();
  }

  private void awaitStored(String metric, String dps) {
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> assertThat(stored(metric)).contains(dps));
  }

  @Test
  void sendsBatchesOverOneConnectionAndVerifiesIt() throws IOException {
    try (Sender sender = new Sender()) {
      StringBuilder dps = new StringBuilder("\"dps\":{");
      for (int i = 0; i < 200; i++) {
        sender.collected("proc.loadavg.1min %d %d.25".formatted(T + 15L * i, i));
        sender.collected(
            "df.bytes.used %d %d mount=/var/log fstype=ext4"
                .formatted(T + 15L * i, 1_000_000L * i));
        dps.append(i == 0 ? "" : ",").append("\"%d\":%d.25".formatted(T + 15L * i, i));
        if (i % 50 == 49) {
          sender.send();
          assertThat(sender.isAlive()).isTrue();
        }
      }
      // Its own figures follow a verification; without tags of their own they have two blanks.
      sender.collected("tcollector.reader.lines_collected %d 400 ".formatted(T));
      sender.collected("tcollector.collector.lines_sent %d 400 collector=df".formatted(T));
      sender.send();
      assertThat(sender.isAlive()).isTrue();
      awaitStored("proc.loadavg.1min", dps + "}");
      assertThat(stored("df.bytes.used"))
          .contains("\"mount\":\"/var/log\"", "\"fstype\":\"ext4\"", "\"1700002985\":199000000");
      awaitStored("tcollector.reader.lines_collected", "\"1700000000\":400");
      awaitStored("tcollector.collector.lines_sent", "\"collector\":\"df\"");
    }
  }

  @Test
  void goesOnAfterLinesThatAreRefusedAndNeverReadsWhy() throws IOException {
    try (Sender sender = new Sender()) {
      for (int i = 0; i < 300; i++) {
        sender.collected("proc.stat.cpu %d not-a-number type=user".formatted(T));
      }
      sender.collected("proc.stat.cpu %d 7 type=user".formatted(T));
      sender.send();
      awaitStored("proc.stat.cpu", "\"1700000000\":7");
      assertThat(sender.isAlive()).isTrue();
    }
  }

  @Test
  void connectsAgainWhenTheServerIsBack() throws IOException {
    try (Sender sender = new Sender()) {
      sender.collected("before %d 1".formatted(T));
      sender.send();
      awaitStored("before", "\"1700000000\":1");
      server.restart();
      assertThat(sender.isAlive()).isFalse();
    }
    try (Sender sender = new Sender()) {
      sender.collected("after %d 2".formatted(T));
      sender.send();
      awaitStored("after", "\"1700000000\":2");
    }
  }

  /**
   * Over HTTP every value is a floating-point number, and {@code details} is asked for to debug.
   */
  private HttpResponse<String> post(String path, String... points) {
    return server.send(
        server
            .request(path)
            .header("Content-Type", "application/json")
            .header("User-Agent", "Python-urllib/3.11")
            .POST(BodyPublishers.ofString("[" + String.join(", ", points) + "]")));
  }

  private static String point(String metric, String value) {
    return "{\"metric\": \"%s\", \"timestamp\": %d, \"value\": %s, \"tags\": {\"host\": \"web1\", \"type\": \"user\"}}"
        .formatted(metric, T, value);
  }

  @Test
  void sendsTheSameOverHttp() {
    assertThat(post("/api/put", point("a", "1.0"), point("b", "2.5")).statusCode()).isEqualTo(204);
    assertThat(stored("a")).contains("\"dps\":{\"1700000000\":1.0}");
    assertThat(stored("b")).contains("\"dps\":{\"1700000000\":2.5}");
    assertThat(post("/api/put?details", point("a", "3.0")).body())
        .isEqualTo("{\"success\":1,\"failed\":0,\"errors\":[]}");
    // It drops its queue: the good points of it must be stored.
    HttpResponse<String> partly = post("/api/put", point("", "3.0"), point("c", "4.0"));
    assertThat(partly.statusCode()).as(partly.body()).isEqualTo(400);
    assertThat(stored("c")).contains("\"dps\":{\"1700000000\":4.0}");
    // It keeps its queue and sends it again.
    HttpResponse<String> failed = post("/api/put", point(BreakingStore.WORD, "5.0"));
    assertThat(failed.statusCode()).as(failed.body()).isEqualTo(503);
  }
}
