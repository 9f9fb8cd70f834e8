package dev.varve.server.kairosdb;

import dev.varve.model.Resolution;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.WriteBudget.Reservation;
import dev.varve.server.kairosdb.Properties.Length;
import dev.varve.server.kairosdb.QueryRequest.MetricQuery;
import dev.varve.server.kairosdb.RollupTask.RollupQuery;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** Reads roll-up tasks and validates them, with KairosDB's messages and statuses. */
final class RollupReader {
  /** Maximum number of queries of a task. */
  private static final int QUERIES_MAX = 100;

  private static final String NO_INTERVAL =
      "executionInterval.value must be greater than or equal to 1";

  private final Clock clock;
  private final Resolution resolution;
  private final Reservation memory;

  /**
   * The path of the part that is being read; as in KairosDB, it grows with every roll-up and query.
   */
  private String place = "";

  /**
   * Creates a reader.
   *
   * @param memory reservation for the trees of tasks
   */
  RollupReader(Clock clock, Resolution resolution, Reservation memory) {
    this.clock = clock;
    this.resolution = resolution;
    this.memory = memory;
  }

  /** Thrown if fields of a task are missing or wrong; KairosDB lists all of them. */
  static final class InvalidTaskException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient List<String> problems;

    private InvalidTaskException(List<String> problems) {
      super(String.join("; ", problems));
      this.problems = List.copyOf(problems);
    }

    List<String> problems() {
      return problems;
    }
  }

  /**
   * Reads a task.
   *
   * @param id the ID of the task; an ID in the document is ignored
   * @throws InvalidTaskException if fields of the task are missing or wrong
   * @throws HttpError if something else is wrong
   */
  RollupTask read(String id, byte[] utf8) {
    Map<String, @Nullable Object> fields;
    try {
      fields = Properties.object(JsonTree.read(utf8, memory));
    } catch (JacksonException e) {
      throw new HttpError(500, JsonTree.reason(e));
    }
    String name = constant(fields.get("name"));
    Length interval = interval(fields.get("execution_interval"));
    require(name, interval);
    List<RollupQuery> queries = new ArrayList<>();
    if (fields.containsKey("rollups")) {
      List<@Nullable Object> all = Properties.array(fields.get("rollups"));
      place = "";
      for (int i = 0; i < all.size(); i++) {
        place += "rollup[" + i + "]";
        queries.addAll(rollup(Properties.object(all.get(i))));
        if (queries.size() > QUERIES_MAX) {
          throw new InvalidTaskException(
              List.of("a task has at most " + QUERIES_MAX + " queries: make several tasks"));
        }
      }
    }
    return new RollupTask(
        id, String.valueOf(name), Objects.requireNonNull(interval), queries, withId(id, fields));
  }

  /** Reads a task that was stored as text. */
  RollupTask read(String id, String json) {
    return read(id, json.getBytes(StandardCharsets.UTF_8));
  }

  private static void require(@Nullable String name, @Nullable Length interval) {
    List<String> problems = new ArrayList<>();
    if (name == null) {
      problems.add("name may not be null");
    } else if (name.isEmpty()) {
      problems.add("name may not be empty");
    }
    if (interval == null) {
      problems.add("executionInterval may not be null");
    } else if (interval.count() < 1) {
      problems.add(NO_INTERVAL);
    }
    if (!problems.isEmpty()) {
      throw new InvalidTaskException(problems);
    }
  }

  private static String withId(String id, Map<String, @Nullable Object> fields) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    all.put("id", id);
    fields.forEach((name, value) -> {
      if (!name.equals("id")) {
        all.put(name, value);
      }
    });
    return JsonTree.text(all);
  }

  private static @Nullable String constant(@Nullable Object json) {
    return (String) asServerError(() -> FieldValue.constant(json));
  }

  private static @Nullable Length interval(@Nullable Object json) {
    if (json == null) {
      return null;
    }
    Properties nowhere = new Properties(Map.of(), "execution_interval");
    // Without a unit KairosDB stores the task, and then schedules no task at all any more.
    if (json instanceof Map<?, ?> map && map.get("unit") == null) {
      throw new InvalidTaskException(List.of("executionInterval.unit may not be null"));
    }
    // The same goes for what is no future time.
    if (json instanceof Map<?, ?> map
        && asServerError(() -> FieldValue.whole(map.get("value"))) instanceof Long value
        && value < 0) {
      throw new InvalidTaskException(List.of(NO_INTERVAL));
    }
    return (Length) asServerError(() -> PropertyType.length(json, nowhere, "execution_interval"));
  }

  private interface Reading {
    @Nullable Object read();
  }

  /** Like KairosDB, answers 500 for a field of a task with the wrong type. */
  private static @Nullable Object asServerError(Reading reading) {
    try {
      return reading.read();
    } catch (HttpError e) {
      throw new HttpError(500, String.valueOf(e.getMessage()));
    }
  }

  private List<RollupQuery> rollup(Map<String, @Nullable Object> rollup) {
    String saveAs = constant(rollup.get("save_as"));
    Properties here = new Properties(rollup, place);
    ZoneId zone = (ZoneId) asServerError(() -> PropertyType.zone(rollup.get("time_zone"), here));
    if (saveAs == null || saveAs.isEmpty()) {
      throw here.wrong("saveAs", saveAs == null ? "may not be null" : "may not be empty");
    }
    if (rollup.get("query") == null) {
      throw new HttpError(500, "cannot validate null");
    }
    Map<String, @Nullable Object> query = Properties.object(rollup.get("query"));
    List<MetricQuery> metrics = metrics(query);
    List<RollupQuery> queries = new ArrayList<>();
    for (int i = 0; i < metrics.size(); i++) {
      place += ".query[" + i + "]";
      queries.add(query(metrics.get(i).name(), saveAs, query, i, zone));
    }
    return queries;
  }

  /**
   * Reads a query. As in KairosDB, errors of the mapping from JSON to objects are answered with
   * 500.
   */
  private List<MetricQuery> metrics(Map<String, @Nullable Object> query) {
    try {
      return new QueryReader(clock, resolution, place).read(query).metrics();
    } catch (HttpError e) {
      String message = String.valueOf(e.getMessage());
      if (message.startsWith("Property '") || message.startsWith("java.lang.")) {
        throw new HttpError(500, message);
      }
      throw e;
    }
  }

  private RollupQuery query(
      String metric,
      String saveAs,
      Map<String, @Nullable Object> query,
      int index,
      @Nullable ZoneId zone) {
    List<@Nullable Object> aggregators = aggregators(query, index);
    int last = aggregators.size() - 1;
    while (last >= 0 && !isOfRanges(aggregators.get(last))) {
      last--;
    }
    Properties here = new Properties(query, place);
    if (last < 0) {
      throw here.wrong("aggregator", "At least one aggregator must be a range aggregator");
    }
    Properties windows = new Properties(Properties.object(aggregators.get(last)), place);
    Object given = windows.get("sampling");
    Length sampling =
        given == null
            ? Aggregators.DEFAULT_SAMPLING
            : PropertyType.length(given, windows, place + ".aggregator.sampling");
    if (sampling.count() < 1) {
      throw here.wrong("aggregator", "The sampling must be greater than or equal to 1");
    }
    return new RollupQuery(metric, saveAs, query, index, last, sampling, zone(zone, windows, here));
  }

  private static List<@Nullable Object> aggregators(
      Map<String, @Nullable Object> query, int index) {
    Map<String, @Nullable Object> metric =
        Properties.object(Properties.array(query.get("metrics")).get(index));
    return metric.containsKey("aggregators")
        ? Properties.array(metric.get("aggregators"))
        : List.of();
  }

  private static boolean isOfRanges(@Nullable Object aggregator) {
    return Aggregators.isOfRanges(FieldValue.text(Properties.object(aggregator).get("name"), 500));
  }

  /** Returns the zone of the roll-up, else that of the aggregator, else that of the query. */
  private static ZoneId zone(@Nullable ZoneId own, Properties windows, Properties query) {
    if (own != null) {
      return own;
    }
    ZoneId zone = PropertyType.zone(windows.get("time_zone"), windows);
    ZoneId whole = PropertyType.zone(query.get("time_zone"), query);
    return zone != null ? zone : whole != null ? whole : ZoneOffset.UTC;
  }
}
