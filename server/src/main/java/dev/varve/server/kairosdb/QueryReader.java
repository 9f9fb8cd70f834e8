package dev.varve.server.kairosdb;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.PatternSize;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import dev.varve.query.QueryPlan;
import dev.varve.server.http.HttpError;
import dev.varve.server.kairosdb.QueryRequest.GroupBy;
import dev.varve.server.kairosdb.QueryRequest.MetricQuery;
import java.time.Clock;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads a query's JSON and compiles it, with KairosDB's messages and statuses. */
final class QueryReader {
  private static final String REGEX = "regex:";

  private final Clock clock;
  private final Resolution resolution;
  private final String owner;

  QueryReader(Clock clock, Resolution resolution) {
    this(clock, resolution, "");
  }

  /**
   * Creates a reader.
   *
   * @param owner path of the object that contains the query, for messages; empty for none
   */
  QueryReader(Clock clock, Resolution resolution, String owner) {
    this.clock = clock;
    this.resolution = resolution;
    this.owner = owner;
  }

  /** The properties of a request that apply to all metrics. */
  private record Frame(@Nullable Long start, @Nullable Long end, ZoneId zone) {}

  QueryRequest read(@Nullable Object json) {
    Properties query = new Properties(Properties.object(json), "");
    Frame frame = frame(query);
    plugins(query);
    if (!query.map().containsKey("metrics")) {
      throw HttpError.badRequest(owner + "query.metric[] must have a size of at least 1");
    }
    List<@Nullable Object> metrics = Properties.array(query.get("metrics"));
    List<MetricQuery> compiled = new ArrayList<>();
    String place = (owner.isEmpty() ? "" : owner + ".") + "query.metric[";
    for (int i = 0; i < metrics.size(); i++) {
      Object metric = metrics.get(i);
      if (metric == null) {
        throw new HttpError(500, "cannot validate null");
      }
      Map<String, @Nullable Object> fields =
          Properties.object(metric, "java.lang.IllegalStateException: ", 400);
      compiled.add(metric(new Properties(fields, place + i + "]"), frame));
    }
    return new QueryRequest(compiled);
  }

  /** Reads all fields in order, and only then evaluates them. */
  private Frame frame(Properties query) {
    Properties place = new Properties(query.map(), "query");
    Map<String, Long> absolute = new HashMap<>();
    Map<String, Properties.Length> relative = new HashMap<>();
    Integer cacheTime = null;
    ZoneId zone = null;
    for (Map.Entry<String, @Nullable Object> field : query.map().entrySet()) {
      Object value = field.getValue();
      String name = field.getKey();
      switch (name) {
        case "start_absolute", "end_absolute" -> {
          Long time = FieldValue.whole(value);
          if (time != null) {
            absolute.put(name, time);
          }
        }
        case "start_relative", "end_relative" -> {
          if (value != null) {
            relative.put(name, PropertyType.length(value, place, name));
          }
        }
        case "cache_time" -> cacheTime = FieldValue.small(value);
        case "time_zone" -> zone = PropertyType.zone(value, place);
        default -> {}
      }
    }
    if (cacheTime != null && cacheTime < 0) {
      throw HttpError.badRequest("cache_time must be greater than or equal to 0");
    }
    return new Frame(
        time(absolute.get("start_absolute"), relative.get("start_relative")),
        time(absolute.get("end_absolute"), relative.get("end_relative")),
        zone == null ? ZoneOffset.UTC : zone);
  }

  private @Nullable Long time(@Nullable Long absolute, Properties.@Nullable Length relative) {
    if (absolute != null || relative == null) {
      return absolute;
    }
    return relative.before(clock.millis());
  }

  /** Rejects plugins: KairosDB is distributed without any, so all are unknown. */
  private static void plugins(Properties owner) {
    if (owner.map().containsKey("plugins")) {
      List<@Nullable Object> plugins = Properties.array(owner.get("plugins"));
      for (int i = 0; i < plugins.size(); i++) {
        Properties plugin = processor(owner, "plugins", plugins.get(i), i);
        throw plugin.wrong(name(plugin), "invalid query plugin name");
      }
    }
  }

  /** The fields of a metric that are read first, in this order. */
  private record Head(String name, boolean excludeTags, List<TagFilter> filters, int limit) {}

  private static Head head(Properties metric) {
    Map<String, @Nullable Object> fields = metric.map();
    String name = fields.containsKey("name") ? FieldValue.text(metric.get("name"), 400) : null;
    boolean excludeTags =
        fields.containsKey("exclude_tags")
            && Boolean.parseBoolean(FieldValue.text(metric.get("exclude_tags"), 400));
    List<TagFilter> filters = tags(metric);
    int limit = fields.containsKey("limit") ? limit(metric.get("limit")) : 0;
    if (name == null) {
      throw metric.wrong("name", "may not be null");
    }
    if (name.isEmpty()) {
      throw metric.wrong("name", "may not be empty");
    }
    filters.addFirst(QueryRequest.named(name));
    return new Head(name, excludeTags, filters, limit);
  }

  private MetricQuery metric(Properties metric, Frame frame) {
    Head head = head(metric);
    if (frame.start() == null) {
      throw metric.wrong("start_time", "relative or absolute time must be set");
    }
    long start = frame.start();
    long end = frame.end() == null ? Long.MAX_VALUE : frame.end();
    if (end < start) {
      throw metric.wrong("end_time", "must be greater than the start time");
    }
    GroupBy groupBy = new GroupByReader(resolution, start).read(metric);
    // The order is validated last.
    boolean descending =
        metric.get("order") instanceof String order && order.equalsIgnoreCase("desc");
    TimeRange times = QueryRequest.range(start, end, resolution);
    List<SaveAs> saves = new ArrayList<>();
    QueryPlan selected = selected(head, times, descending, groupBy);
    QueryPlan plan = aggregated(selected, metric, start, end, frame.zone(), saves);
    plugins(metric);
    checkOrder(metric);
    return new MetricQuery(
        head.name(), head.filters(), times, plan, head.excludeTags(), groupBy, saves);
  }

  private static QueryPlan selected(
      Head head, TimeRange times, boolean descending, GroupBy groupBy) {
    int limit = Math.max(0, head.limit());
    QueryPlan plan =
        new QueryPlan.Merge(
            new QueryPlan.Select(
                new Selector(head.filters()),
                times,
                null,
                Versions.LATEST,
                Kinds.EACH,
                descending ? limit : 0,
                false),
            List.copyOf(new LinkedHashSet<>(groupBy.tags())),
            descending,
            limit,
            true);
    if (head.limit() < 0) {
      // KairosDB's store rejects it as soon as there is a row to read.
      plan = new QueryPlan.Refuse(plan, "limit must be greater than or equal to 0");
    }
    String refusal = groupBy.refusal();
    if (refusal != null) {
      plan = new QueryPlan.Refuse(plan, refusal);
    }
    String refusalOfNumbers = groupBy.refusalOfNumbers();
    if (refusalOfNumbers != null) {
      plan = new QueryPlan.Numbers(new QueryPlan.Refuse(plan, refusalOfNumbers));
    }
    if (!groupBy.splitters().isEmpty()) {
      plan = new QueryPlan.Split(plan, groupBy.splitters());
    }
    return limit > 0 ? new QueryPlan.Limit(plan, 0, limit) : plan;
  }

  private QueryPlan aggregated(
      QueryPlan plan, Properties metric, long start, long end, ZoneId zone, List<SaveAs> saves) {
    if (!metric.map().containsKey("aggregators")) {
      return plan;
    }
    Aggregators aggregators = new Aggregators(start, end, clock.millis(), zone, resolution);
    QueryPlan all = plan;
    List<@Nullable Object> given = Properties.array(metric.get("aggregators"));
    for (int i = 0; i < given.size(); i++) {
      Properties properties = processor(metric, "aggregators", given.get(i), i);
      String name = name(properties);
      if (name.equals(SaveAs.NAME)) {
        saves.add(SaveAs.read(properties));
        all = new QueryPlan.Copy(all, saves.size() - 1);
      } else {
        all = aggregators.add(all, name, properties);
      }
    }
    return all;
  }

  /** Returns an aggregator, a grouping or a plugin, all of which have a name. */
  static Properties processor(Properties owner, String family, @Nullable Object given, int index) {
    Map<String, @Nullable Object> object = Properties.object(given);
    if (!object.containsKey("name") || FieldValue.text(object.get("name"), 500).isEmpty()) {
      throw owner.wrong(family + "[" + index + "]", "must have a name");
    }
    return new Properties(object, owner.context() + "." + family + "[" + index + "]");
  }

  static String name(Properties processor) {
    return FieldValue.text(processor.get("name"), 500);
  }

  private static int limit(@Nullable Object json) {
    if (json instanceof JsonTree.Numeral number) {
      return (int) FieldValue.low(number.text());
    }
    if (json instanceof List<?> list && list.size() == 1) {
      return limit(list.getFirst());
    }
    try {
      return Integer.parseInt(FieldValue.text(json, 400));
    } catch (NumberFormatException e) {
      throw new HttpError(500, String.valueOf(e.getMessage()));
    }
  }

  private static void checkOrder(Properties metric) {
    if (metric.map().containsKey("order")) {
      String order = FieldValue.text(metric.get("order"), 500);
      if (!order.equalsIgnoreCase("asc") && !order.equalsIgnoreCase("desc")) {
        throw metric.wrong("order", "must be either 'asc' or 'desc'");
      }
    }
  }

  private static List<TagFilter> tags(Properties metric) {
    List<TagFilter> filters = new ArrayList<>();
    if (!metric.map().containsKey("tags")) {
      return filters;
    }
    int count = 0;
    for (var entry :
        Properties.object(metric.get("tags"), "java.lang.IllegalStateException: ", 400)
            .entrySet()) {
      String name = entry.getKey();
      String place = "tags[" + count++ + "]";
      if (name.isEmpty()) {
        throw metric.wrong(place, "name must not be empty");
      }
      List<@Nullable Object> given =
          entry.getValue() instanceof List<?> ? Properties.array(entry.getValue()) : null;
      TreeSet<String> values = new TreeSet<>();
      for (Object value : given == null ? singleton(entry.getValue()) : given) {
        String text = value == null ? "" : FieldValue.text(value, 400);
        if (text.isEmpty()) {
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

  /** Returns a filter for any of the values, some of which may be patterns. */
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
}
