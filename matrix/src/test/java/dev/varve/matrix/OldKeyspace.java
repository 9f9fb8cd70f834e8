package dev.varve.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Value;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A keyspace with the three tables that KairosDB created over Thrift, up to 1.1, and rows of two
 * generations: without a data type and with a flag in the column, as until 0.9.3, and with the data
 * type, as from 0.9.4 on. All rows are listed in {@code row_key_index}, the only index of those
 * versions. The bytes are built here, not by the tested layout.
 *
 * <pre>
 *   row key   metric | 00 | row time, 8 bytes | [ 00 | length | data type ] | name=value: ...
 *   column    offset in the row, shifted by one bit, 4 bytes; bit 0 marks floats until 0.9.3
 * </pre>
 */
final class OldKeyspace {
  private static final String METRIC = "of old";
  private static final long ROW = KairosDbStory.ROW;
  private static final long FIRST = 700 * ROW;
  private static final long WRITTEN_MILLIS = 1_300_000_000_000L;
  private static final int LONG = 0;
  private static final int FLOAT = 1;

  private final String keyspace;

  OldKeyspace(String keyspace) {
    this.keyspace = keyspace;
  }

  /** Creates the tables as CQL shows those created over Thrift, and fills them. */
  void make(Cql cql) {
    cql.execute(
        "CREATE KEYSPACE %s WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
            .formatted(keyspace));
    Map.of("data_points", "blob", "row_key_index", "blob", "string_index", "text")
        .forEach((table, column) ->
            cql.execute(
                "CREATE TABLE %s.%s (key blob, column1 %s, value blob, PRIMARY KEY (key, column1)) WITH COMPACT STORAGE"
                    .formatted(keyspace, table, column)));
    strings(cql, "metric_names", METRIC);
    strings(cql, "tag_names", "host");
    strings(cql, "tag_values", "oldest", "old");

    row(cql, FIRST, null, "oldest", Map.of(column(0, LONG), "", column(1, LONG), "ff"));
    row(cql, FIRST, null, "oldest", Map.of(column(2, FLOAT), "013fc00000"));
    row(cql, FIRST + ROW, null, "oldest", Map.of(column(ROW - 1, LONG), "fffffffffffffffe"));
    row(cql, FIRST, "kairos_long", "old", Map.of(column(5, LONG), "8001"));
    row(cql, FIRST, "kairos_double", "old", Map.of(column(6, LONG), "3ff8000000000000"));
    row(cql, FIRST, "kairos_string", "old", Map.of(column(ROW - 1, LONG), "0002c3a9"));
    // Time -5, which is in row -10.
    row(cql, -10, "kairos_long", "old", Map.of(column(5, LONG), "01"));
  }

  /** Checks that a server answers with exactly the original points. */
  void check(KairosDbClient client) {
    NavigableMap<Long, Value> oldest = new TreeMap<>();
    oldest.put(FIRST, new Value.Int64(0));
    oldest.put(FIRST + 1, new Value.Int64(255));
    oldest.put(FIRST + 2, new Value.Real(1.5));
    oldest.put(FIRST + 2 * ROW - 1, new Value.Int64(-2));
    NavigableMap<Long, Value> old = new TreeMap<>();
    old.put(-5L, new Value.Int64(-1));
    old.put(FIRST + 5, new Value.Int64(64));
    old.put(FIRST + 6, new Value.Real(1.5));
    old.put(FIRST + ROW - 1, new Value.Text("\u00e9"));
    assertThat(client.points(METRIC, "host", "oldest", KairosDbStory.TIMES)).isEqualTo(oldest);
    assertThat(client.points(METRIC, "host", "old", KairosDbStory.TIMES)).isEqualTo(old);
    assertThat(client.metricNames()).contains(METRIC);
  }

  private static long column(long offset, int flag) {
    return offset << 1 | flag;
  }

  private void strings(Cql cql, String kind, String... strings) {
    for (String string : strings) {
      put(cql, "string_index", utf8(kind), "'" + string + "'", "");
    }
  }

  private void row(
      Cql cql, long rowTime, @Nullable String type, String host, Map<Long, String> values) {
    byte[] row = rowKey(rowTime, type, host);
    put(cql, "row_key_index", utf8(METRIC), "0x" + hex(row), "");
    values.forEach(
        (column, value) -> put(cql, "data_points", row, "0x%08x".formatted(column), value));
  }

  private void put(Cql cql, String table, byte[] key, String column, String value) {
    cql.execute(
        "INSERT INTO %s.%s (key, column1, value) VALUES (0x%s, %s, 0x%s) USING TIMESTAMP %d"
            .formatted(keyspace, table, hex(key), column, value, WRITTEN_MILLIS));
  }

  private static byte[] rowKey(long rowTime, @Nullable String type, String host) {
    ByteArrayOutputStream key = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(key)) {
      out.write(utf8(METRIC));
      out.writeByte(0);
      out.writeLong(rowTime);
      if (type != null) {
        out.writeByte(0);
        out.writeByte(type.length());
        out.write(utf8(type));
      }
      out.write(utf8("host=" + host + ":"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return key.toByteArray();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
