package dev.varve.server.kairosdb;

import static java.util.Map.entry;

import dev.varve.model.Resolution;
import dev.varve.query.QueryPlan.Splitter;
import dev.varve.server.http.HttpError;
import dev.varve.server.kairosdb.Properties.Settings;
import dev.varve.server.kairosdb.QueryRequest.GroupBy;
import dev.varve.server.kairosdb.QueryRequest.Grouping;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the {@code group_by} of one metric. */
final class GroupByReader {
  private static final Map<String, PropertyType> OF_TAG =
      Map.of("tags", PropertyType.TEXTS, "start_date", PropertyType.WHOLE);
  private static final Map<String, PropertyType> OF_TIME =
      Map.ofEntries(
          entry("range_size", PropertyType.LENGTH),
          entry("group_count", PropertyType.SMALL),
          entry("start_date", PropertyType.WHOLE));
  private static final Map<String, PropertyType> OF_VALUE =
      Map.of("range_size", PropertyType.SMALL, "start_date", PropertyType.WHOLE);
  private static final Map<String, PropertyType> OF_BIN =
      Map.of("bins", PropertyType.REALS, "start_date", PropertyType.WHOLE);

  private final Resolution resolution;

  /** Start of the query, in ms since 1970. */
  private final long start;

  private List<String> tags = List.of();
  private final List<Grouping> groupings = new ArrayList<>();
  private final List<Splitter> splitters = new ArrayList<>();
  private @Nullable String refusal;
  private @Nullable String refusalOfNumbers;

  GroupByReader(Resolution resolution, long start) {
    this.resolution = resolution;
    this.start = start;
  }

  GroupBy read(Properties metric) {
    if (metric.map().containsKey("group_by")) {
      List<@Nullable Object> given = Properties.array(metric.get("group_by"));
      for (int i = 0; i < given.size(); i++) {
        add(QueryReader.processor(metric, "group_by", given.get(i), i));
      }
    }
    return new GroupBy(tags, groupings, splitters, refusal, refusalOfNumbers);
  }

  private void add(Properties properties) {
    String name = QueryReader.name(properties);
    switch (name) {
      case "tag" -> byTag(properties);
      case "time" -> byTime(properties);
      case "value" -> byValue(properties);
      case "bin" -> byBin(properties);
      default -> throw properties.wrong(name, "invalid group_by name");
    }
  }

  @SuppressWarnings("unchecked") // Read by PropertyType.TEXTS.
  private void byTag(Properties properties) {
    Settings settings = properties.settings(OF_TAG, "tag", "groupby.TagGroupBy");
    Object given = settings.get("tags");
    if (given == null) {
      throw properties.wrong("tags", "may not be null");
    }
    List<String> names = (List<String>) given;
    if (names.isEmpty()) {
      throw properties.wrong("tags", "may not be empty");
    }
    // KairosDB uses only the first grouping by tags.
    if (tags.isEmpty()) {
      tags = names;
    }
  }

  private void byTime(Properties properties) {
    Settings settings = properties.settings(OF_TIME, "time", "groupby.TimeGroupBy");
    Properties.Length size = settings.length("range_size");
    if (size == null) {
      throw properties.wrong("rangeSize", "may not be null");
    }
    int groups = (int) settings.whole("group_count", 0);
    if (groups < 1) {
      throw properties.wrong("groupCount", "must be greater than or equal to 1");
    }
    long from = scaled(settings.whole("start_date", start));
    if (size.unit() == TimeUnit.MONTHS) {
      // Groups of months have one month each, whatever the size.
      splitters.add(new Splitter.ByMonth(from, resolution, groups));
    } else if (size.count() == 0) {
      // KairosDB divides by it as soon as there is a point.
      refusal = "the range_size of " + properties.context() + " is 0";
      splitters.add(new Splitter.ByTime(from, 1, groups));
    } else {
      splitters.add(new Splitter.ByTime(from, scaled(millis(size)), groups));
    }
    Map<String, @Nullable Object> block = new LinkedHashMap<>();
    block.put("range_size", Aggregators.shown(size));
    block.put("group_count", groups);
    groupings.add(new Grouping("time", block, "group_number"));
  }

  /** Returns a length in ms. As in KairosDB, a year has 52 weeks. */
  private static long millis(Properties.Length size) {
    long one =
        size.unit() == TimeUnit.YEARS
            ? 52 * TimeUnit.WEEKS.unit().getDuration().toMillis()
            : size.unit().unit().getDuration().toMillis();
    return one > Long.MAX_VALUE / size.count() ? Long.MAX_VALUE : one * size.count();
  }

  private long scaled(long millis) {
    try {
      return resolution == Resolution.SECONDS
          ? Math.ceilDiv(millis, 1000L)
          : Resolution.MILLISECONDS.convert(millis, resolution);
    } catch (ArithmeticException e) {
      throw HttpError.badRequest(
          "the time " + Instant.ofEpochMilli(millis) + " is outside of what the dataset can hold");
    }
  }

  private void byValue(Properties properties) {
    Settings settings = properties.settings(OF_VALUE, "value", "groupby.ValueGroupBy");
    long size = settings.whole("range_size", 0);
    if (size < 1) {
      throw properties.wrong("rangeSize", "must be greater than or equal to 1");
    }
    splitters.add(new Splitter.ByValue(size));
    groupings.add(new Grouping("value", Map.of("range_size", size), "group_number"));
  }

  @SuppressWarnings("unchecked") // Read by PropertyType.REALS.
  private void byBin(Properties properties) {
    Settings settings = properties.settings(OF_BIN, "bin", "groupby.BinGroupBy");
    Object given = settings.get("bins");
    List<Double> bins = given == null ? List.of() : (List<Double>) given;
    if (bins.isEmpty()) {
      // KairosDB looks at the first as soon as there is a number; texts are in no bin.
      refusalOfNumbers = properties.context() + ".bins may not be empty";
    }
    splitters.add(new Splitter.ByBin(bins));
    Map<String, @Nullable Object> block = new LinkedHashMap<>();
    block.put("bins", given);
    groupings.add(new Grouping("bin", block, "bin_number"));
  }
}
