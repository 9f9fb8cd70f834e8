package dev.varve.server.kairosdb;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.varve.engine.ReadRequest.Kinds;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.PatternSize;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import dev.varve.query.QueryPlan;
import dev.varve.query.QueryPlan.Splitter;
import dev.varve.server.http.HttpError;
import dev.varve.server.kairosdb.QueryRequest.Grouping;
import dev.varve.server.kairosdb.QueryRequest.MetricQuery;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads a query's JSON and compiles it, with the messages and status codes of the original. */
final class QueryReader {
  private static final String REGEX = "regex:";

  private final Clock clock;
  private final Resolution resolution;

  QueryReader(Clock clock, Resolution resolution) {
    this.clock = clock;
    this.resolution = resolution;
  }

  /** What of the request holds for all metrics. */
  private record Frame(@Nullable Long start, @Nullable Long end, ZoneId zone) {}

  QueryRequest read(@Nullable Object json) {
    Properties query = new Properties(Properties.object(json), "");
    Frame frame = frame(query);
    if (!query.map().containsKey("metrics") || query.get("metrics") == null) {
      throw HttpError.badRequest("query.metric[] must have a size of at least 1");
    }
    List<@Nullable Object> metrics = Properties.array(query.get("metrics"));
    List<MetricQuery> compiled = new ArrayList<>();
    for (int i = 0; i < metrics.size(); i++) {
      compiled.add(
          metric(
              new Properties(Properties.object(metrics.get(i)), "query.metric[" + i + "]"), frame));
    }
    return new QueryRequest(compiled);
  }

  private Frame frame(Properties query) {
    if (query.whole("cache_time", 0) < 0) {
      throw HttpError.badRequest("cache_time must be greater than or equal to 0");
    }
    Long start = time(query, "start_absolute", "start_relative");
    Long end = time(query, "end_absolute", "end_relative");
    ZoneId zone = Aggregators.zone(new Properties(query.map(), "query"), ZoneOffset.UTC);
    return new Frame(start, end, zone);
  }

  private @Nullable Long time(Properties query, String absolute, String relative) {
    String text = query.text(absolute);
    if (text != null) {
      try {
        return Properties.whole(text);
      } catch (ArithmeticException | NumberFormatException e) {
        throw HttpError.badRequest(
            "java.lang.NumberFormatException: For input string: \"" + text + "\"");
      }
    }
    Object given = query.get(relative);
    if (given == null) {
      return null;
    }
    Properties inner = new Properties(Properties.object(given), relative);
    long count = inner.whole("value", 0);
    if (count < 0) {
      throw inner.wrong("value", "must be greater than or equal to 0");
    }
    String unit = inner.text("unit");
    if (unit == null) {
      throw inner.wrong("unit", "may not be null");
    }
    TimeUnit found = TimeUnit.find(unit);
    if (found == null) {
      throw HttpError.badRequest(
          "query." + unit + " is not a valid time unit, must be one of " + TimeUnit.NAMES);
    }
    ZonedDateTime now = clock.instant().atZone(ZoneOffset.UTC);
    try {
      return now.minus(count, found.unit()).toInstant().toEpochMilli();
    } catch (java.time.DateTimeException | ArithmeticException e) {
      return Long.MIN_VALUE;
    }
  }

  private MetricQuery metric(Properties metric, Frame frame) {
    String name = metric.text("name");
    if (name == null) {
      throw metric.wrong("name", "may not be null");
    }
    if (name.isEmpty()) {
      throw metric.wrong("name", "may not be empty");
    }
    List<TagFilter> filters = new ArrayList<>();
    filters.add(QueryRequest.named(name));
    filters.addAll(tags(metric));
    if (frame.start() == null) {
      throw metric.wrong("start_time", "relative or absolute time must be set");
    }
    long start = frame.start();
    long end = frame.end() == null ? Long.MAX_VALUE : frame.end();
    if (end < start) {
      throw metric.wrong("end_time", "must be greater than the start time");
    }
    int limit = limit(metric);
    boolean descending = descending(metric);
    TimeRange times = QueryRequest.range(start, end, resolution);

    List<String> groupTags = new ArrayList<>();
    List<Grouping> groupings = new ArrayList<>();
    List<Splitter> splitters = new ArrayList<>();
    groupBy(metric, start, groupTags, groupings, splitters);

    QueryPlan plan =
        new QueryPlan.Merge(
            new QueryPlan.Select(
                new Selector(filters),
                times,
                null,
                Versions.LATEST,
                Kinds.EACH,
                descending ? limit : 0,
                false),
            groupTags,
            descending,
            limit);
    if (!splitters.isEmpty()) {
      plan = new QueryPlan.Split(plan, splitters);
    }
    if (limit > 0) {
      plan = new QueryPlan.Limit(plan, 0, limit);
    }
    return new MetricQuery(
        name,
        filters,
        times,
        aggregated(plan, metric, start, end, frame.zone()),
        metric.truth("exclude_tags", false),
        groupTags,
        groupings);
  }

  private QueryPlan aggregated(
      QueryPlan plan, Properties metric, long start, long end, ZoneId zone) {
    if (!metric.has("aggregators")) {
      return plan;
    }
    Aggregators aggregators =
        new Aggregators(start, Math.min(end, clock.millis()), zone, resolution);
    QueryPlan all = plan;
    List<@Nullable Object> given = Properties.array(metric.get("aggregators"));
    for (int i = 0; i < given.size(); i++) {
      Properties properties = processor(metric, "aggregators", given.get(i), i);
      all =
          aggregators.add(
              all, java.util.Objects.requireNonNull(properties.text("name")), properties);
    }
    return all;
  }

  /** An aggregator or a grouping, which has a name. */
  private static Properties processor(
      Properties metric, String family, @Nullable Object given, int index) {
    Map<String, @Nullable Object> object = Properties.object(given);
    String name = Properties.text(object.get("name"));
    if (name == null || name.isEmpty()) {
      throw metric.wrong(family + "[" + index + "]", "must have a name");
    }
    return new Properties(object, metric.context() + "." + family + "[" + index + "]");
  }

  private static int limit(Properties metric) {
    String text = metric.text("limit");
    if (text == null) {
      return 0;
    }
    try {
      return Math.clamp(Properties.whole(text), 0, Integer.MAX_VALUE);
    } catch (ArithmeticException | NumberFormatException e) {
      throw new HttpError(500, "For input string: \"" + text + "\"");
    }
  }

  private static boolean descending(Properties metric) {
    String order = metric.text("order");
    if (order == null || order.equalsIgnoreCase("asc")) {
      return false;
    }
    if (order.equalsIgnoreCase("desc")) {
      return true;
    }
    throw metric.wrong("order", "must be either 'asc' or 'desc'");
  }

  private static List<TagFilter> tags(Properties metric) {
    List<TagFilter> filters = new ArrayList<>();
    if (metric.get("tags") == null) {
      return filters;
    }
    int count = 0;
    for (var entry : Properties.object(metric.get("tags")).entrySet()) {
      String name = entry.getKey();
      String place = "tags[" + count++ + "]";
      if (name.isEmpty()) {
        throw metric.wrong(place, "name must not be empty");
      }
      List<@Nullable Object> given =
          entry.getValue() instanceof List<?> ? Properties.array(entry.getValue()) : null;
      TreeSet<String> values = new TreeSet<>();
      for (Object value : given == null ? singleton(entry.getValue()) : given) {
        String text = Properties.text(value);
        if (text == null || text.isEmpty()) {
          throw metric.wrong(place + "." + name, "value must not be null or empty");
        }
        values.add(text);
      }
      if (!values.isEmpty()) {
        filters.add(filter(name, values));
      }
    }
    return filters;
  }

  private static List<@Nullable Object> singleton(@Nullable Object value) {
    List<@Nullable Object> one = new ArrayList<>();
    one.add(value);
    return one;
  }

  /** Any of the values, of which some may be patterns. */
  private static TagFilter filter(String name, SortedSet<String> values) {
    if (values.stream().noneMatch(value -> value.startsWith(REGEX))) {
      return values.size() == 1
          ? new TagFilter.Equal(name, values.first())
          : new TagFilter.In(name, values);
    }
    List<String> alternatives = new ArrayList<>();
    for (String value : values) {
      if (value.startsWith(REGEX)) {
        String pattern = value.substring(REGEX.length());
        check(pattern);
        alternatives.add("(?:" + pattern + ")");
      } else {
        alternatives.add(Pattern.quote(value));
      }
    }
    return new TagFilter.Regex(name, String.join("|", alternatives));
  }

  private static void check(String pattern) {
    try {
      PatternSize.check(pattern);
    } catch (IllegalArgumentException e) {
      throw HttpError.badRequest(String.valueOf(e.getMessage()));
    }
    try {
      Pattern.compile(pattern);
    } catch (PatternSyntaxException e) {
      throw new HttpError(
          500, "'" + pattern + "' is no regular expression of RE2 syntax: " + e.getDescription());
    }
  }

  private void groupBy(
      Properties metric,
      long start,
      List<String> groupTags,
      List<Grouping> groupings,
      List<Splitter> splitters) {
    if (!metric.has("group_by")) {
      return;
    }
    List<@Nullable Object> given = Properties.array(metric.get("group_by"));
    boolean byTag = false;
    for (int i = 0; i < given.size(); i++) {
      Properties properties = processor(metric, "group_by", given.get(i), i);
      String name = java.util.Objects.requireNonNull(properties.text("name"));
      switch (name) {
        case "tag" -> {
          List<String> tags = tagNames(properties);
          // The original looks at the first grouping by tag alone.
          if (!byTag) {
            groupTags.addAll(tags);
          }
          byTag = true;
        }
        case "time" -> byTime(properties, start, groupings, splitters);
        case "value" -> byValue(properties, groupings, splitters);
        case "bin" -> byBin(properties, groupings, splitters);
        default -> throw properties.wrong(name, "invalid group_by name");
      }
    }
  }

  private static List<String> tagNames(Properties properties) {
    properties.only(java.util.Set.of("tags"), "tag", "groupby.TagGroupBy");
    if (!properties.has("tags")) {
      throw properties.wrong("tags", "may not be null");
    }
    List<String> names = new ArrayList<>();
    for (Object tag : Properties.array(properties.get("tags"))) {
      String name = Properties.text(tag);
      if (name != null && !names.contains(name)) {
        names.add(name);
      }
    }
    if (names.isEmpty()) {
      throw properties.wrong("tags", "may not be empty");
    }
    return names;
  }

  private void byTime(
      Properties properties, long start, List<Grouping> groupings, List<Splitter> splitters) {
    properties.only(java.util.Set.of("range_size", "group_count"), "time", "groupby.TimeGroupBy");
    Properties.Length size = rangeSize(properties);
    long count = properties.whole("group_count", 0);
    if (count < 1) {
      throw properties.wrong("groupCount", "must be greater than or equal to 1");
    }
    int groups = Math.toIntExact(Math.min(count, Integer.MAX_VALUE));
    if (size.unit() == TimeUnit.MONTHS) {
      splitters.add(new Splitter.ByMonth(scaled(start), resolution, groups));
    } else {
      splitters.add(new Splitter.ByTime(scaled(start), scaled(millis(size)), groups));
    }
    Map<String, Object> block = new LinkedHashMap<>();
    block.put("range_size", Aggregators.shown(size));
    block.put("group_count", groups);
    groupings.add(new Grouping("time", block, "group_number"));
  }

  private static Properties.Length rangeSize(Properties properties) {
    Object given = properties.get("range_size");
    if (given instanceof Map<?, ?> map) {
      Object unit = map.get("unit");
      // The original names the unit without the property that it stands in.
      if (unit instanceof String text) {
        properties.unit(text);
      }
    }
    Properties.Length size = properties.length("range_size");
    if (size == null) {
      throw properties.wrong("rangeSize", "may not be null");
    }
    if (size.count() == 0) {
      throw new HttpError(500, "the range_size of " + properties.context() + " is 0");
    }
    return size;
  }

  /** A year is 52 weeks here, as in the original. */
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

  private static void byValue(
      Properties properties, List<Grouping> groupings, List<Splitter> splitters) {
    properties.only(java.util.Set.of("range_size"), "value", "groupby.ValueGroupBy");
    long size = properties.whole("range_size", 0);
    if (size < 1) {
      throw properties.wrong("rangeSize", "must be greater than or equal to 1");
    }
    splitters.add(new Splitter.ByValue(Math.min(size, Integer.MAX_VALUE)));
    groupings.add(new Grouping("value", Map.of("range_size", size), "group_number"));
  }

  private static void byBin(
      Properties properties, List<Grouping> groupings, List<Splitter> splitters) {
    properties.only(java.util.Set.of("bins"), "bin", "groupby.BinGroupBy");
    if (!properties.has("bins")) {
      throw properties.wrong("bins", "may not be null");
    }
    List<Double> bins = new ArrayList<>();
    for (Object bin : Properties.array(properties.get("bins"))) {
      String text = Properties.text(bin);
      try {
        bins.add(Double.parseDouble(text == null ? "" : text));
      } catch (NumberFormatException e) {
        throw properties.wrong("bins", "For input string: \"" + text + "\"");
      }
    }
    if (bins.isEmpty()) {
      throw properties.wrong("bins", "may not be empty");
    }
    splitters.add(new Splitter.ByBin(bins));
    groupings.add(new Grouping("bin", Map.of("bins", bins), "bin_number"));
  }
}
