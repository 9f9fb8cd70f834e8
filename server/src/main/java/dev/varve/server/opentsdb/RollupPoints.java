package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.layout.opentsdb.RollupConfig;
import dev.varve.layout.opentsdb.RollupInterval;
import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.server.opentsdb.DataPoint.RolledUp;
import dev.varve.server.opentsdb.aggregator.Aggregator;
import dev.varve.server.opentsdb.rollup.Rollups;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The points of {@code /api/rollup}: roll-ups of time, pre-aggregates of series, or both. */
final class RollupPoints implements PointForm {
  /** Aggregates that follow from others, which OpenTSDB rejects by default. */
  private static final Set<String> DERIVED = Set.of("AVG", "DEV");

  /** Number of slots of the hash table that the original reads tags into. */
  private static final int PLACES = 16;

  private final Dataset dataset;
  private final Rollups rollups;

  /** The newest key whose names have UIDs. Roll-ups of one series come one after the other. */
  private @Nullable GroupKey named;

  RollupPoints(Dataset dataset, Rollups rollups) {
    this.dataset = dataset;
    this.rollups = rollups;
  }

  @Override
  public Dataset dataset() {
    return dataset;
  }

  @Override
  public Kind kind() {
    return Kind.ROLLUP;
  }

  @Override
  public Placed place(DataPoint point) {
    PointForm.requireMembers(point);
    return placeLine(point);
  }

  /**
   * As {@link #place}, for a point of telnet, whose words have been checked. A pre-aggregate needs
   * no tags there: its aggregator becomes one.
   *
   * @throws BadPointException if the point is invalid
   */
  Placed placeLine(DataPoint point) {
    RolledUp given = point.rolledUp() == null ? RolledUp.NONE : point.rolledUp();
    String by = given.groupBy();
    if (isEmpty(by) && isEmpty(given.interval())) {
      throw new BadPointException(point, "Missing interval");
    }
    if (isEmpty(by) && isEmpty(given.aggregator())) {
      throw new BadPointException(point, "Missing aggregator");
    }
    PointValue value = PointForm.number(point);
    RollupConfig config = rollups.config();
    if (config == null) {
      throw new BadPointException(
          point,
          isEmpty(given.interval())
              ? "Unexpected exception"
              : "No rollup or aggregations were configured");
    }
    if (by != null && by.isEmpty()) {
      throw new BadPointException(
          point,
          "Cannot write a group by data point without specifying the aggregation function. Metric=%s tags=%s"
              .formatted(point.metric(), shown(point)));
    }
    if (point.timestamp() > LAST_SECOND) {
      throw new BadPointException(
          point,
          "bad timestamp=%d when trying to add value=%s to metric=%s, tags=%s"
              .formatted(point.timestamp(), point.value(), point.metric(), shown(point)));
    }
    DataPoint tagged = tagged(point, by);
    requireGroupBy(tagged, by);
    if (tagged.tagsOrNone().isEmpty()) {
      throw new BadPointException(point, LineFault.withoutTags(String.valueOf(point.metric())));
    }
    return placed(tagged, given, config, value);
  }

  private Placed placed(DataPoint point, RolledUp given, RollupConfig config, PointValue value) {
    RollupInterval interval = interval(point, given.interval(), config);
    String aggregator = given.aggregator();
    if (interval != null) {
      requireNumber(point, aggregator, config);
    }
    if (aggregator != null && DERIVED.contains(aggregator.toUpperCase(Locale.ROOT))) {
      throw new BadPointException(
          point,
          "Derived rollup aggregations are not allowed %s with metric %s %s"
              .formatted(aggregator.toUpperCase(Locale.ROOT), point.metric(), shown(point)));
    }
    if (interval == null) {
      return new Placed(
          rollups.preAggregates(config.raw()),
          point,
          named(point),
          Series.DEFAULT_FIELD,
          1000 * point.timestamp(),
          value);
    }
    if (interval.raw()) {
      throw new BadPointException(
          point,
          "Interval %s is the default, whose roll-ups are the points themselves: write them to /api/put"
              .formatted(interval.text()));
    }
    return new Placed(
        given.groupBy() == null ? rollups.of(interval) : rollups.preAggregates(interval),
        point,
        named(point),
        String.valueOf(aggregator).toLowerCase(Locale.ROOT),
        1000 * interval.interval(point.timestamp()),
        value);
  }

  private GroupKey named(DataPoint point) {
    GroupKey key = PointForm.key(point);
    if (!key.equals(named)) {
      try {
        rollups.name(key);
      } catch (QueryRefusedException e) {
        throw new BadPointException(point, String.valueOf(e.getMessage()));
      }
      named = key;
    }
    return key;
  }

  private static boolean isEmpty(@Nullable String text) {
    return text == null || text.isEmpty();
  }

  /** Returns tags in the order in which OpenTSDB shows them. */
  private static Map<String, @Nullable String> shown(DataPoint point) {
    Map<String, @Nullable String> shown = new HashMap<>(PLACES);
    shown.putAll(point.tagsOrNone());
    return shown;
  }

  /** Returns the point with the tag of its aggregator, if it is a pre-aggregate. */
  private static DataPoint tagged(DataPoint point, @Nullable String by) {
    String given = point.tagsOrNone().get(RollupConfig.AGGREGATE_TAG);
    if (given != null && !given.equalsIgnoreCase(by)) {
      throw new BadPointException(
          point,
          "Given tag value for %s of %s did not match the group by aggregator of %s for %s %s"
              .formatted(RollupConfig.AGGREGATE_TAG, given, by, point.metric(), shown(point)));
    }
    return by == null ? point : point.with(RollupConfig.AGGREGATE_TAG, by.toUpperCase(Locale.ROOT));
  }

  private static void requireGroupBy(DataPoint point, @Nullable String by) {
    if (by == null) {
      return;
    }
    if (Aggregator.of(by.toLowerCase(Locale.ROOT)) == null) {
      throw new BadPointException(
          point,
          "Invalid group by aggregator %s with metric %s %s"
              .formatted(by, point.metric(), shown(point)));
    }
    if (DERIVED.contains(by.toUpperCase(Locale.ROOT))) {
      throw new BadPointException(
          point,
          "Derived group by aggregations are not allowed %s with metric %s %s"
              .formatted(by, point.metric(), shown(point)));
    }
  }

  private static @Nullable RollupInterval interval(
      DataPoint point, @Nullable String text, RollupConfig config) {
    if (text == null || text.isEmpty()) {
      return null;
    }
    RollupInterval interval = config.interval(text);
    if (interval == null) {
      // OpenTSDB does not expect that here.
      throw new BadPointException(
          point,
          "Unexpected exception",
          "No such rollup: No rollups configured for the interval: " + text);
    }
    return interval;
  }

  private static void requireNumber(
      DataPoint point, @Nullable String aggregator, RollupConfig config) {
    if (aggregator == null || aggregator.isEmpty()) {
      throw new BadPointException(point, "Aggregator cannot be null or empty.");
    }
    if (!config.aggregations().containsKey(aggregator.toLowerCase(Locale.ROOT))) {
      throw new BadPointException(
          point, "No ID found mapping to aggregator: %s".formatted(aggregator));
    }
  }
}
