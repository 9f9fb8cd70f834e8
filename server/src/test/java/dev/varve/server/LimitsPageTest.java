package dev.varve.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.QueryCapacity;
import dev.varve.server.http.ConnectionLimits;
import dev.varve.server.http.HttpLimits;
import dev.varve.server.ingest.LabelLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The documented defaults match the code. */
class LimitsPageTest {
  private static final Path DOCS = Path.of("../docs");

  /** Returns the third column of the row whose second column is a key. */
  private static String documented(String page, String key) throws IOException {
    List<String> cells =
        Files.readAllLines(DOCS.resolve(page)).stream()
            .map(line -> line.split(" \\| "))
            .filter(row -> row.length > 2 && row[1].equals("`" + key + "`"))
            .map(row -> row[2])
            .toList();
    assertThat(cells).as(key).isNotEmpty();
    return cells.getFirst();
  }

  private static void limit(String key, long value) throws IOException {
    assertThat(documented("limits.md", key)).as(key).isEqualTo("%,d".formatted(value));
  }

  private static void query(String key, String value) throws IOException {
    assertThat(documented("query.md", key)).as(key).startsWith(value);
  }

  @Test
  void ofRequests() throws IOException {
    HttpLimits http = HttpLimits.DEFAULTS;
    assertThat(documented("limits.md", "write.body")).isEqualTo((http.body() >> 20) + " MiB");
    assertThat(documented("limits.md", "write.decoded-body"))
        .isEqualTo((http.decodedBody() >> 20) + " MiB");
    LabelLimits labels = LabelLimits.DEFAULTS;
    limit("write.labels", labels.labels());
    limit("write.label-name", labels.name());
    limit("write.label-value", labels.value());
  }

  @Test
  void ofConnections() throws IOException {
    ConnectionLimits connections = ConnectionLimits.DEFAULTS;
    limit("connections.max", connections.max());
    limit("connections.reserve", connections.reserve());
    assertThat(documented("limits.md", "connections.per-client")).isEqualTo("a quarter of `max`");
    assertThat(connections.perClient()).isEqualTo(connections.max() / 4);
    assertThat(documented("limits.md", "connections.lines")).isEqualTo("half of `max`");
    assertThat(connections.lines()).isEqualTo(connections.max() / 2);
    assertThat(documented("limits.md", "connections.header"))
        .startsWith(connections.header().toSeconds() + " s ");
    assertThat(documented("limits.md", "connections.idle"))
        .isEqualTo(connections.idle().toSeconds() + " s");
    assertThat(documented("limits.md", "connections.lines-idle"))
        .isEqualTo(connections.linesIdle().toMinutes() + " min");
  }

  @Test
  void ofQueries() throws IOException {
    QueryLimits limits = QueryLimits.DEFAULTS;
    query("series", "%,d".formatted(limits.series()));
    query("samples", "%,d".formatted(limits.samples()));
    query("cells", "%,d".formatted(limits.cells()));
    query("points", "%,d".formatted(limits.points()));
    query("steps", "%,d".formatted(limits.steps()));
    query("time", limits.time().toMinutes() + "m");
    QueryCapacity capacity = QueryCapacity.DEFAULTS;
    query("concurrency", Integer.toString(capacity.running()));
    query("queue", Integer.toString(capacity.waiting()));
    query("wait", capacity.waitMax().toSeconds() + "s");
  }
}
