package dev.varve.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The content of {@code tag_indexed_row_keys} in a keyspace that KairosDB and Varve have written,
 * read with Cassandra's own driver.
 */
final class TagIndexRows implements AutoCloseable {
  private final CqlSession session;
  private final String keyspace;

  TagIndexRows(String address, String keyspace) {
    this.session = CqlSessions.to(address);
    this.keyspace = keyspace;
  }

  /** One row of the table, without the hash that is part of its key. */
  private record Listed(
      String metric, String rowTime, String pair, String type, Map<String, String> tags) {}

  /**
   * Checks that each row of the indexed metric in {@code row_keys} is listed once under each of its
   * indexed tags, and that nothing else is listed. If the servers used different hashes, their rows
   * would be listed twice.
   */
  void check() {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> {
          List<Listed> byTag = byTag();
          assertThat(byTag).containsExactlyInAnyOrderElementsOf(expected()).isNotEmpty();
        });
  }

  private List<Listed> byTag() {
    List<Listed> listed = new ArrayList<>();
    for (Row row :
        session.execute(
            "SELECT metric, row_time, single_tag_pair, data_type, tags FROM %s.tag_indexed_row_keys"
                .formatted(keyspace))) {
      listed.add(listed(row, String.valueOf(row.getString("single_tag_pair"))));
    }
    return listed;
  }

  private List<Listed> expected() {
    List<Listed> expected = new ArrayList<>();
    for (Row row :
        session.execute(
            "SELECT metric, row_time, data_type, tags FROM %s.row_keys".formatted(keyspace))) {
      if (KairosDbStory.INDEXED.equals(row.getString("metric"))) {
        tags(row)
            .forEach((name, value) -> {
              if (KairosDbStory.INDEXED_TAGS.contains(name)) {
                expected.add(listed(row, name + "=" + value));
              }
            });
      }
    }
    return expected;
  }

  private static Listed listed(Row row, String pair) {
    return new Listed(
        String.valueOf(row.getString("metric")),
        String.valueOf(row.getInstant("row_time")),
        pair,
        String.valueOf(row.getString("data_type")),
        tags(row));
  }

  private static Map<String, String> tags(Row row) {
    return Map.copyOf(row.getMap("tags", String.class, String.class));
  }

  /** Deletes the entry of the story's last row under a tag pair of the indexed metric. */
  void delete(String pair) {
    session.execute(
        "DELETE FROM %s.tag_indexed_row_keys WHERE metric = ? AND table_name = 'data_points' AND row_time = ? AND single_tag_pair = ?"
            .formatted(keyspace),
        KairosDbStory.INDEXED,
        Instant.ofEpochMilli(KairosDbStory.LAST_ROW),
        pair);
  }

  @Override
  public void close() {
    session.close();
  }
}
