package dev.varve.cli.migrate;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.JsonTree;
import dev.varve.cli.io.WrongCallException;
import dev.varve.cli.target.ServerAddress;
import dev.varve.cli.target.ServerConnection;
import dev.varve.cli.target.ServerRequest;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A database of InfluxDB 1, read by InfluxQL: one field of one series after the other, in chunks.
 * Booleans become the integers 0 and 1, as in an import.
 */
final class InfluxSource implements MigrationSource {
  /** A text has up to 64 KiB, so that a chunk of texts stays below 64 MiB. */
  private static final String CHUNKED = "&chunked=true&chunk_size=1000";

  private final ServerConnection connection;
  private final ServerAddress server;
  private final String database;

  /** The prefix of measurements with the retention policy; empty for the default one. */
  private final String policy;

  private final @Nullable String measurement;
  private final TimeRange times;

  /**
   * @param place the database, or {@code database/retention-policy}
   */
  InfluxSource(ServerAddress server, String place, Selection selection) {
    this.server = server;
    this.connection = new ServerConnection(server);
    int slash = place.indexOf('/');
    this.database = slash < 0 ? place : place.substring(0, slash);
    this.policy = slash < 0 ? "" : name(place.substring(slash + 1)) + ".";
    this.measurement = measurement(selection);
    this.times = selection.range(Resolution.NANOSECONDS);
  }

  private static @Nullable String measurement(Selection selection) {
    Selector selector = selection.parsed();
    String named = selector.metric();
    boolean all = selector.filters().equals(List.of(new TagFilter.Has(Series.NAME_LABEL)));
    if (!all && (named == null || selector.filters().size() > 1)) {
      throw new WrongCallException(
          "of an InfluxDB, --select names one measurement; without it, all are copied");
    }
    return named;
  }

  @Override
  public String name() {
    return "InfluxDB %s, database '%s' %s".formatted(server, database, policy).strip();
  }

  @Override
  public Resolution resolution() {
    return Resolution.NANOSECONDS;
  }

  @Override
  public List<String> metrics() throws IOException {
    if (measurement != null) {
      return List.of(measurement);
    }
    return rows("SHOW MEASUREMENTS").stream()
        .map(row -> String.valueOf(JsonTree.list(row).getFirst()))
        .sorted()
        .toList();
  }

  @Override
  public void read(String metric, @Nullable Series from, Receiver to) throws IOException {
    Map<String, Set<String>> fields = new TreeMap<>();
    for (Object row : rows("SHOW FIELD KEYS FROM " + policy + name(metric))) {
      List<Object> pair = JsonTree.list(row);
      fields
          .computeIfAbsent(String.valueOf(pair.get(0)), _ -> new TreeSet<>())
          .add(String.valueOf(pair.get(1)));
    }
    List<GroupKey> keys = new ArrayList<>();
    Set<String> tags = new TreeSet<>();
    for (Object row : rows("SHOW SERIES FROM " + policy + name(metric))) {
      GroupKey key = InfluxSeries.key(metric, String.valueOf(JsonTree.list(row).getFirst()));
      keys.add(key);
      tags.addAll(key.tags().names());
    }
    List<Series> all = new ArrayList<>();
    keys.forEach(key -> fields.keySet().forEach(field -> all.add(key.field(field))));
    all.sort(Position.ORDER);
    for (Series series : all) {
      if (from == null || Position.ORDER.compare(series, from) >= 0) {
        InOrder samples = new InOrder(series, times.from(), times.to() - 1, to);
        read(series, fields.getOrDefault(series.field(), Set.of()), tags, samples);
      }
    }
  }

  /**
   * Reads a series, whose field may have another type in each shard. A query for texts or booleans
   * returns only these. A query for floats returns all numbers.
   */
  private void read(Series series, Set<String> types, Set<String> tags, InOrder to)
      throws IOException {
    List<String> asked = new ArrayList<>(types);
    if (asked.contains("float")) {
      asked.remove("integer");
    }
    List<InfluxValues> all = new ArrayList<>();
    try {
      for (String type : asked) {
        all.add(new InfluxValues(ask(query(series, type, tags), CHUNKED), type));
      }
      InfluxValues.merge(all, to);
    } finally {
      for (InfluxValues values : all) {
        values.close();
      }
    }
  }

  /**
   * Returns the query of a series.
   *
   * @param tags all tags of its measurement, so that no series with more tags matches
   */
  private String query(Series series, String type, Set<String> tags) {
    StringBuilder query = new StringBuilder("SELECT ");
    query.append(name(series.field())).append("::").append(type);
    query.append(" FROM ").append(policy).append(name(series.metric()));
    String and = " WHERE ";
    Tags own = series.key().tags();
    for (String tag : tags) {
      String value = own.get(tag);
      query
          .append(and)
          .append(name(tag))
          .append("::tag = ")
          .append(text(value == null ? "" : value));
      and = " AND ";
    }
    if (times.from() != Long.MIN_VALUE) {
      query.append(and).append("time >= ").append(times.from());
      and = " AND ";
    }
    if (times.to() != Long.MAX_VALUE) {
      query.append(and).append("time < ").append(times.to());
    }
    return query.toString();
  }

  private List<Object> rows(String query) throws IOException {
    try (BufferedReader answer = ask(query, "")) {
      String line = answer.readLine();
      return line == null ? List.of() : rowsOf(JsonTree.parse(line));
    }
  }

  /** Returns the rows of all series of an answer. */
  static List<Object> rowsOf(Object answer) {
    List<Object> rows = new ArrayList<>();
    for (Object result : JsonTree.list(JsonTree.member(answer, "results"))) {
      if (result instanceof Map<?, ?> map) {
        if (map.containsKey("error")) {
          throw new CommandFailedException("the source answers: " + map.get("error"));
        }
        for (Object series : JsonTree.list(map.get("series"))) {
          rows.addAll(JsonTree.list(JsonTree.member(series, "values")));
        }
      }
    }
    return rows;
  }

  private BufferedReader ask(String query, String more) {
    InputStream answer =
        connection.send(
            ServerRequest.get(
                "/query?db=%s&epoch=ns&q=%s%s"
                    .formatted(
                        URLEncoder.encode(database, StandardCharsets.UTF_8),
                        URLEncoder.encode(query, StandardCharsets.UTF_8),
                        more)));
    return new BufferedReader(new InputStreamReader(answer, StandardCharsets.UTF_8));
  }

  /** Returns a name in InfluxQL. */
  private static String name(String name) {
    return '"' + name.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
  }

  /** Returns a text in InfluxQL. */
  private static String text(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'";
  }

  @Override
  public void close() {
    connection.close();
  }
}
