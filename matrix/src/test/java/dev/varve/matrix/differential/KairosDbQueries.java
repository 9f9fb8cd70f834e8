package dev.varve.matrix.differential;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes random queries in KairosDB's JSON. */
final class KairosDbQueries {
  private static final List<String> AGGREGATORS =
      List.of(
          "avg",
          "sum",
          "min",
          "max",
          "count",
          "dev",
          "first",
          "last",
          "percentile",
          "least_squares",
          "gaps",
          "diff",
          "rate",
          "sampler",
          "div",
          "scale",
          "sma",
          "trim",
          "filter",
          "score",
          "save_as");

  private static final List<String> UNITS =
      List.of(
          "milliseconds",
          "seconds",
          "minutes",
          "hours",
          "days",
          "weeks",
          "months",
          "years",
          "MINUTES",
          "Hours");

  private static final List<String> ZONES =
      List.of("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "", "+02:00");

  private final Choices choices;
  private final List<String> saved = new ArrayList<>();

  KairosDbQueries(Choices choices) {
    this.choices = choices;
  }

  /** Returns the metrics that {@code save_as} of the queries until now has named. */
  List<String> saved() {
    return saved;
  }

  /** The range of times in which a query finds points, in ms since 1970. */
  private record Extent(long from, long to, boolean sparse) {}

  /** Returns a query. */
  Map<String, @Nullable Object> query() {
    boolean sparse = choices.oneIn(4);
    Extent extent =
        sparse
            ? new Extent(KairosDbPoints.SPARSE_START, KairosDbPoints.SPARSE_END, true)
            : new Extent(KairosDbPoints.START, KairosDbPoints.END, false);
    Map<String, @Nullable Object> query = new LinkedHashMap<>();
    boolean relative = choices.oneIn(12);
    times(query, extent, relative);
    if (choices.oneIn(2)) {
      query.put("time_zone", choices.draw("time_zone", ZONES));
    }
    if (choices.oneIn(20)) {
      choices.note("cache_time");
      query.put("cache_time", choices.below(60));
    }
    List<Object> metrics = new ArrayList<>();
    int count = choices.oneIn(8) ? 2 : 1;
    for (int i = 0; i < count; i++) {
      metrics.add(metric(extent, relative));
    }
    query.put("metrics", metrics);
    return query;
  }

  private void times(Map<String, @Nullable Object> query, Extent extent, boolean relative) {
    if (relative) {
      choices.note("start_relative");
      query.put("start_relative", length(10, "years"));
      if (choices.oneIn(2)) {
        choices.note("end_relative");
        query.put(
            "end_relative", length(1, choices.draw("end_relative", "months", "days", "weeks")));
      }
      return;
    }
    long from = extent.from();
    long to = extent.to();
    if (choices.oneIn(2)) {
      from = choices.between(from, to);
      to = choices.between(from, to);
    }
    query.put("start_absolute", choices.oneIn(20) ? String.valueOf(from) : from);
    if (!choices.oneIn(8)) {
      query.put("end_absolute", to);
    } else {
      choices.note("no end");
    }
  }

  private static Map<String, @Nullable Object> length(long value, String unit) {
    Map<String, @Nullable Object> length = new LinkedHashMap<>();
    length.put("value", value);
    length.put("unit", unit);
    return length;
  }

  private Map<String, @Nullable Object> metric(Extent extent, boolean relative) {
    Map<String, @Nullable Object> metric = new LinkedHashMap<>();
    String name =
        extent.sparse() ? KairosDbPoints.SPARSE : choices.draw("metric", KairosDbPoints.DENSE);
    metric.put("name", name);
    if (choices.oneIn(3)) {
      metric.put("tags", tags());
    }
    if (choices.oneIn(2)) {
      metric.put("group_by", groupBys(extent));
    }
    if (!choices.oneIn(4)) {
      List<Object> aggregators = new ArrayList<>();
      int count = 1 + (choices.oneIn(3) ? 1 : 0) + (choices.oneIn(9) ? 1 : 0);
      for (int i = 0; i < count; i++) {
        aggregators.add(aggregator(extent, relative));
      }
      metric.put("aggregators", aggregators);
    }
    if (choices.oneIn(8)) {
      metric.put("limit", choices.draw("limit", 0, 1, 3, 10, 1000));
    }
    if (choices.oneIn(8)) {
      metric.put("order", choices.draw("order", "asc", "desc", "DESC"));
    }
    if (choices.oneIn(10)) {
      metric.put("exclude_tags", choices.draw("exclude_tags", true, false));
    }
    return metric;
  }

  /** Returns filters of tags, without patterns, which KairosDB ignores on H2. */
  Map<String, @Nullable Object> tags() {
    Map<String, @Nullable Object> tags = new LinkedHashMap<>();
    switch (choices.draw(
        "tags", "one", "list", "two", "none", "unknown value", "unknown tag", "odd")) {
      case "one" -> tags.put("host", choices.pick("a", "b"));
      case "list" -> tags.put("host", List.of("a", "c"));
      case "two" -> {
        tags.put("host", List.of(choices.pick("a", "b")));
        tags.put("dc", "x");
      }
      case "none" -> tags.put("host", List.of());
      case "unknown value" -> tags.put("host", "nobody");
      case "unknown tag" -> tags.put("nothing", "a");
      default -> tags.put("tag name", "va:l=ue");
    }
    return tags;
  }

  private List<Object> groupBys(Extent extent) {
    List<Object> all = new ArrayList<>();
    int count = choices.oneIn(4) ? 2 : 1;
    for (int i = 0; i < count; i++) {
      Map<String, @Nullable Object> groupBy = new LinkedHashMap<>();
      String name = choices.draw("group_by", "tag", "tag ", "time", "value", "bin").strip();
      groupBy.put("name", name);
      switch (name) {
        case "tag" ->
            groupBy.put(
                "tags",
                choices.draw(
                    "group_by tags",
                    List.of(
                        List.of("host"),
                        List.of("dc", "host"),
                        List.of("rack"),
                        List.of("host", "nothing"),
                        List.of())));
        case "time" -> {
          groupBy.put("range_size", length(1 + choices.below(3), unit("group_by time", extent)));
          groupBy.put("group_count", 1 + choices.below(5));
        }
        case "value" -> groupBy.put("range_size", choices.draw("group_by value", 1, 10, 50));
        default ->
            groupBy.put(
                "bins",
                choices.draw(
                    "group_by bin",
                    List.of(List.of(0, 50), List.of(10), List.of("1", 2.5), List.of(50, 0))));
      }
      all.add(groupBy);
    }
    return all;
  }

  /** Returns a unit whose ranges are not too many. */
  private String unit(String place, Extent extent) {
    List<String> some =
        extent.sparse() ? UNITS.subList(3, UNITS.size()) : UNITS.subList(1, UNITS.size());
    return choices.draw(place + (extent.sparse() ? " of days" : "") + " unit", some);
  }

  private Map<String, @Nullable Object> aggregator(Extent extent, boolean relative) {
    Map<String, @Nullable Object> aggregator = new LinkedHashMap<>();
    String name =
        relative
            ? choices.draw("aggregator without ranges", "diff", "div", "scale", "trim", "sma")
            : choices.draw("aggregator", AGGREGATORS);
    aggregator.put("name", name);
    switch (name) {
      case "avg", "sum", "min", "max", "count", "first", "last", "least_squares" ->
          range(aggregator, extent);
      case "gaps" -> range(aggregator, extent);
      case "dev" -> {
        range(aggregator, extent);
        if (choices.oneIn(2)) {
          aggregator.put("return_type", choices.draw("return_type", "value", "pos_sd", "neg_sd"));
        }
        if (choices.oneIn(2)) {
          aggregator.put("dev_count", choices.below(4));
        }
      }
      case "percentile" -> {
        range(aggregator, extent);
        aggregator.put("percentile", choices.draw("percentile", 0.5, 0.75, "0.9", 0.99, 1, 0, 2));
      }
      default -> steps(name, aggregator, extent);
    }
    return aggregator;
  }

  private void steps(String name, Map<String, @Nullable Object> aggregator, Extent extent) {
    switch (name) {
      case "rate" -> {
        if (choices.oneIn(2)) {
          aggregator.put("sampling", length(1 + choices.below(3), unit("rate", extent)));
        } else {
          aggregator.put("unit", choices.draw("rate unit", UNITS));
        }
        if (choices.oneIn(3)) {
          aggregator.put("time_zone", choices.draw("rate time_zone", ZONES));
        }
      }
      case "sampler" -> {
        aggregator.put("unit", choices.draw("sampler unit", UNITS));
        if (choices.oneIn(3)) {
          aggregator.put("time_zone", choices.draw("sampler time_zone", ZONES));
        }
      }
      case "div" -> aggregator.put("divisor", choices.draw("divisor", 2, -4, "8", 0.5, 0));
      case "scale" -> {
        if (!choices.oneIn(6)) {
          aggregator.put("factor", choices.draw("factor", 3, -0.25, "2", 0));
        }
      }
      case "sma" -> aggregator.put("size", choices.draw("size", 1, 2, 5, 100));
      case "trim" -> aggregator.put("trim", choices.draw("trim", "first", "last", "both", "BOTH"));
      case "filter" -> {
        aggregator.put(
            "filter_op", choices.draw("filter_op", "lte", "lt", "gte", "gt", "equal", "ne", "LT"));
        aggregator.put("threshold", choices.draw("threshold", 0, 10, "word 3", 2.5, "5"));
      }
      case "score" -> score(aggregator);
      case "save_as" -> saveAs(aggregator);
      default -> {
        // diff has no properties.
      }
    }
  }

  private void score(Map<String, @Nullable Object> aggregator) {
    List<Object> thresholds = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Map<String, @Nullable Object> threshold = new LinkedHashMap<>();
      threshold.put("value", choices.between(-50, 50));
      if (choices.oneIn(2)) {
        threshold.put("boundary", choices.draw("boundary", "superior", "inferior"));
      }
      thresholds.add(threshold);
    }
    aggregator.put("thresholds", thresholds);
    if (choices.oneIn(2)) {
      aggregator.put("order", choices.draw("score order", "ascending", "descending"));
    }
  }

  private void saveAs(Map<String, @Nullable Object> aggregator) {
    String name = "saved." + saved.size();
    saved.add(name);
    aggregator.put("metric_name", name);
    if (choices.oneIn(2)) {
      aggregator.put("tags", JsonTree.object("by", "test"));
    }
    if (choices.oneIn(3)) {
      aggregator.put("add_saved_from", choices.draw("add_saved_from", true, false));
    }
    if (choices.oneIn(4)) {
      choices.note("save_as ttl");
      aggregator.put("ttl", 1_000_000);
    }
  }

  private void range(Map<String, @Nullable Object> aggregator, Extent extent) {
    if (!choices.oneIn(12) || "gaps".equals(aggregator.get("name"))) {
      aggregator.put("sampling", length(1 + choices.below(4), unit("sampling", extent)));
    }
    for (String align : List.of("align_sampling", "align_start_time", "align_end_time")) {
      if (choices.oneIn(3)) {
        aggregator.put(align, choices.draw(align, true, false, "true"));
      }
    }
    if (choices.oneIn(8)) {
      aggregator.put("trim", choices.draw("range trim", true, false));
    }
    if (choices.oneIn(8)) {
      choices.note("range start_time");
      aggregator.put("start_time", extent.from() + choices.below(1_000_000));
    }
    if (choices.oneIn(8)) {
      choices.note("range end_time");
      aggregator.put("end_time", extent.to() - choices.below(1_000_000));
    }
    if (choices.oneIn(6)) {
      aggregator.put("time_zone", choices.draw("range time_zone", ZONES));
    }
  }
}
