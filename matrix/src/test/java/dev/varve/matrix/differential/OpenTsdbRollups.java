package dev.varve.matrix.differential;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Random roll-ups and pre-aggregates, and queries of them. Their intervals divide no downsampling
 * of other queries, which would read roll-ups instead of points.
 */
final class OpenTsdbRollups {
  static final String METRIC = "roll.int";
  static final List<String> TABLES =
      List.of("-preagg", "-rollup-11m", "-preagg-11m", "-rollup-33m", "-preagg-33m");

  private static final List<String> STORED = List.of("sum", "count", "min", "max");

  private final Choices choices;
  private int written;

  OpenTsdbRollups(Choices choices) {
    this.choices = choices;
  }

  /** Returns the configuration for tables whose names begin with a prefix. */
  static String config(String table) {
    return """
    {"aggregationIds":{"sum":0,"count":1,"min":2,"max":3},"intervals":[
    {"table":"@","preAggregationTable":"@-preagg","interval":"13m","rowSpan":"6h","defaultInterval":true},
    {"table":"@-rollup-11m","preAggregationTable":"@-preagg-11m","interval":"11m","rowSpan":"1d"},
    {"table":"@-rollup-33m","preAggregationTable":"@-preagg-33m","interval":"33m","rowSpan":"1n"}]}
    """
        .replace("@", table)
        .replace("\n", "");
  }

  /** Returns requests that write what queries are about. */
  List<Request> writes() {
    List<Object> points = new ArrayList<>();
    for (String host : List.of("web01", "Web02", "web03")) {
      for (String interval : List.of("11m", "33m")) {
        long seconds = interval.equals("11m") ? 660 : 1980;
        for (long time = OpenTsdbPoints.START - 4 * seconds;
            time < OpenTsdbPoints.END;
            time += seconds) {
          if (interval.equals("33m") && host.equals("web03")) {
            continue;
          }
          for (String aggregator : STORED) {
            if (!choices.oneIn(8)) {
              points.add(
                  point(
                      METRIC,
                      time,
                      aggregator.equals("count") ? 1 + choices.below(9) : choices.below(200),
                      JsonTree.object("host", host),
                      interval,
                      aggregator,
                      null));
            }
          }
        }
      }
    }
    for (long time = OpenTsdbPoints.START; time < OpenTsdbPoints.END; time += 330) {
      points.add(
          point(METRIC, time, choices.below(50), JsonTree.object("dc", "lga"), null, null, "sum"));
    }
    // One in each interval: the original fails on two.
    for (long time = OpenTsdbPoints.START; time < OpenTsdbPoints.END; time += 660) {
      points.add(
          point(
              METRIC, time, choices.below(50), JsonTree.object("dc", "sjc"), "11m", "max", "max"));
    }
    List<Request> requests = new ArrayList<>();
    for (int from = 0; from < points.size(); from += 200) {
      requests.add(
          new Request(
              "POST",
              "/api/rollup?sync&details",
              JsonTree.write(points.subList(from, Math.min(points.size(), from + 200))),
              Set.of("endpoint rollup")));
    }
    return requests;
  }

  private static Map<String, @Nullable Object> point(
      String metric,
      Object time,
      Object value,
      Map<String, @Nullable Object> tags,
      @Nullable String interval,
      @Nullable String aggregator,
      @Nullable String groupBy) {
    Map<String, @Nullable Object> point = new LinkedHashMap<>();
    point.put("metric", metric);
    point.put("timestamp", time);
    point.put("value", value);
    point.put("tags", tags);
    if (interval != null) {
      point.put("interval", interval);
    }
    if (aggregator != null) {
      point.put("aggregator", aggregator);
    }
    if (groupBy != null) {
      point.put("groupByAggregator", groupBy);
    }
    return point;
  }

  /** Returns points of a metric of its own, some of which are invalid. */
  List<Object> some() {
    String metric = "zroll.%03d".formatted(written++);
    List<Object> points = new ArrayList<>();
    for (int i = choices.below(3); i >= 0; i--) {
      Object value =
          choices.draw(
              "value of a roll-up", 7, -300, new JsonTree.Numeral("2.25"), "17", 70_000, "word");
      Object time =
          switch (choices.draw("time of a roll-up", "s", "s", "s", "s", "s", "s", "ms", "zero")) {
            case "ms" -> 1000 * OpenTsdbPoints.START + 1;
            case "zero" -> 0;
            default -> OpenTsdbPoints.START + choices.below(3600);
          };
      String groupBy =
          choices.draw(
              "group-by of a roll-up", "", "", "", "", "", "sum", "MAX", "avg", "nonsense");
      points.add(
          point(
              metric,
              time,
              value,
              JsonTree.object("host", choices.pick("web01", "web03")),
              choices.draw("interval of a roll-up", "11m", "33m", "11m", "33m", "11m", "5m", ""),
              choices.draw(
                  "aggregator of a roll-up",
                  "sum",
                  "count",
                  "MIN",
                  "max",
                  "sum",
                  "max",
                  "MAX",
                  "avg",
                  "nonsense",
                  ""),
              groupBy.isEmpty() ? null : groupBy));
    }
    return points;
  }

  /** Returns requests that read what was written. */
  List<Request> reads() {
    List<Request> requests = new ArrayList<>();
    for (int i = 0; i < written; i++) {
      for (String query : List.of("none:11m-sum:", "none:33m-max:", "none:pre-agg:11m-max:")) {
        requests.add(
            new Request(
                "GET",
                "/api/query?start=%d&end=%d&m=%szroll.%03d"
                    .formatted(OpenTsdbPoints.START, OpenTsdbPoints.END, query, i),
                null,
                Set.of("reads roll-ups")));
      }
    }
    return requests;
  }

  /** Returns the value of {@code m} of a query. */
  String query() {
    String aggregator = choices.draw("aggregator of roll-ups", OpenTsdbQueries.AGGREGATORS);
    String downsample =
        choices.draw("interval of roll-ups", "11m", "22m", "33m", "66m", "99m", "11mc")
            + "-"
            + choices.draw(
                "downsampling of roll-ups",
                "sum",
                "count",
                "min",
                "max",
                "avg",
                "zimsum",
                "mimmin",
                "mimmax",
                "dev",
                "last")
            + choices.draw("fill of roll-ups", "", "", "", "-nan", "-zero");
    String part =
        choices.draw(
            "part of roll-ups",
            "",
            "",
            "rate:",
            "rollup_raw:",
            "rollup_fallback:",
            "rollup_fallback_raw:",
            "rollup_nofallback:",
            "rollup_nonsense:",
            "pre-agg:");
    String filter =
        choices.draw(
            "filter of roll-ups",
            "",
            "{host=*}",
            "{host=web01}",
            "{host=web03}",
            "{_aggregate=SUM}",
            "{_aggregate=*}",
            "{dc=*,_aggregate=MAX}");
    return "%s:%s:%s%s%s".formatted(aggregator, downsample, part, METRIC, filter);
  }
}
