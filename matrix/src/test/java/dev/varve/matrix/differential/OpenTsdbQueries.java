package dev.varve.matrix.differential;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes random requests to OpenTSDB's {@code /api/query} and what is below it. */
final class OpenTsdbQueries {
  static final List<String> AGGREGATORS =
      List.of(
          "sum",
          "min",
          "max",
          "avg",
          "none",
          "median",
          "mult",
          "dev",
          "diff",
          "count",
          "zimsum",
          "mimmin",
          "mimmax",
          "first",
          "last",
          "pfsum",
          "squareSum",
          "p50",
          "p75",
          "p90",
          "p95",
          "p99",
          "p999",
          "ep50r3",
          "ep50r7",
          "ep75r3",
          "ep75r7",
          "ep90r3",
          "ep90r7",
          "ep95r3",
          "ep95r7",
          "ep99r3",
          "ep99r7",
          "ep999r3",
          "ep999r7");

  /** The parts of filters of a metric in short. */
  private static final List<String> FILTERS =
      List.of(
          "",
          "{}",
          "{host=*}",
          "{host=web01}",
          "{host=web01|Web02}",
          "{host=web*}",
          "{dc=*}",
          "{host=*,dc=lga}",
          "{rack=*}",
          "{host=literal_or(web01|web03)}",
          "{host=iliteral_or(WEB01|web02)}",
          "{host=not_literal_or(web01)}",
          "{host=not_iliteral_or(WEB01)}",
          "{host=wildcard(web*)}",
          "{host=iwildcard(*2)}",
          "{host=regexp(web0[12])}",
          "{}{host=web01|web03}",
          "{dc=*}{host=wildcard(*0*)}",
          "{host=*}{dc=literal_or(lga),host=not_literal_or(Web02)}",
          "{nothing=*}",
          "{host=nobody}",
          "{host=web01|nobody}",
          "{host=not_literal_or(nobody)}",
          "{host=*");

  private final Choices choices;
  private final Mutation mutation;
  private final OpenTsdbRollups rollups;
  private final OpenTsdbHistograms histograms;
  private Set<String> features = Set.of();

  OpenTsdbQueries(Choices choices, OpenTsdbRollups rollups, OpenTsdbHistograms histograms) {
    this.choices = choices;
    this.histograms = histograms;
    this.rollups = rollups;
    this.mutation = new Mutation(choices);
  }

  private Request request(String endpoint, String method, String path, @Nullable String body) {
    choices.note("endpoint " + endpoint);
    return new Request(method, path, body, Set.copyOf(features));
  }

  /** Returns a query of any form. */
  Request any() {
    features = choices.begin();
    return switch (choices.below(18)) {
      case 0 -> last();
      case 1 -> functions();
      case 2 -> formulas();
      case 14, 15 -> ofSome("roll-ups", rollups.query());
      case 16, 17 -> ofSome("histograms", histograms.query());
      case 3, 4, 5, 6, 7, 8 -> inUrl();
      default -> posted();
    };
  }

  /** Returns the metric of a query and notes whether its points are hours apart. */
  private String metric() {
    return choices.oneIn(5)
        ? OpenTsdbPoints.DAYS
        : choices.oneIn(40) ? "sys.unknown" : choices.draw("metric", OpenTsdbPoints.DENSE);
  }

  private String start(boolean days) {
    long start =
        OpenTsdbPoints.START + (choices.oneIn(2) ? 0 : choices.below(days ? 3_000_000 : 6000));
    return switch (choices.draw(
        "start", "s", "s ", "s  ", "ms", "s.mmm", "date", "date time", "ago")) {
      case "ms" -> start + "123";
      case "s.mmm" -> start + ".500";
      case "date" -> "2024/03/09";
      case "date time" ->
          choices.pick("2024/03/09-16:10:30", "2024/03/09-16:20", "2024/03/09 16:20");
      case "ago" -> choices.pick("20y-ago", "2000w-ago", "9000d-ago");
      default -> String.valueOf(start);
    };
  }

  /** Returns the end of a query; null for now. */
  private @Nullable String end(boolean days) {
    long end = days ? OpenTsdbPoints.DAYS_END : OpenTsdbPoints.END;
    long some = end - (choices.oneIn(2) ? 0 : choices.below(days ? 3_000_000 : 4500));
    return switch (choices.draw("end", "s", "s ", "s  ", "ms", "before start", "odd")) {
      case "ms" -> some + "999";
      case "before start" -> String.valueOf(OpenTsdbPoints.START - 10);
      case "odd" -> choices.pick("yesterday", "-5", "2024-03-10", "1x-ago", "");
      default -> String.valueOf(some);
    };
  }

  private String downsample(boolean days) {
    String unit =
        days
            ? choices.draw("unit of days", "h", "d", "w", "n", "y", "dc", "wc", "nc", "yc")
            : choices.draw("unit", "s", "m", "h", "mc", "hc", "ms");
    int count =
        switch (unit) {
          case "s" -> choices.pick(30, 45, 100);
          case "ms" -> choices.pick(60_000, 90_500);
          case "m", "mc" -> choices.pick(1, 5, 7, 30);
          case "h", "hc" -> choices.pick(1, 2, 24);
          default -> choices.pick(1, 2, 3);
        };
    String interval = choices.oneIn(8) ? "0all" : count + unit;
    if (interval.equals("0all")) {
      choices.note("0all");
    }
    String fill =
        choices.oneIn(2) ? "-" + choices.draw("fill", "none", "nan", "null", "zero", "scalar") : "";
    return interval + "-" + choices.draw("downsample", AGGREGATORS) + fill;
  }

  private String part(boolean days) {
    StringBuilder text = new StringBuilder(choices.draw("aggregator", AGGREGATORS)).append(':');
    if (choices.oneIn(2)) {
      text.append(downsample(days)).append(':');
    }
    if (choices.oneIn(4)) {
      text.append(
              choices.draw(
                  "rate",
                  "rate",
                  "rate{counter}",
                  "rate{counter,1000}",
                  "rate{counter,,10}",
                  "rate{counter,1000,5}",
                  "rate{dropcounter}",
                  "rate{dropcounter,1000,5}",
                  "rate{counter,x}",
                  "rate{}"))
          .append(':');
    }
    if (choices.oneIn(8)) {
      text.append(
              choices.draw(
                  "part",
                  "explicit_tags",
                  "pre-agg",
                  "rollup_raw",
                  "nonsense",
                  "percentiles[90]",
                  "show-histogram-buckets"))
          .append(':');
    }
    return text.toString();
  }

  private Request inUrl() {
    String metric = metric();
    boolean days = metric.equals(OpenTsdbPoints.DAYS);
    StringBuilder path = new StringBuilder("/api/query?start=").append(encoded(start(days)));
    String end = end(days);
    if (end != null) {
      path.append("&end=").append(encoded(end));
    }
    int count = choices.oneIn(8) ? 2 : 1;
    for (int i = 0; i < count; i++) {
      if (choices.oneIn(12)) {
        choices.note("tsuid");
        path.append("&tsuid=")
            .append(encoded(part(days)))
            .append(encoded(String.join(",", tsuids())));
      } else {
        String text = part(days) + metric + choices.draw("filters", FILTERS);
        path.append("&m=").append(encoded(choices.oneIn(8) ? typo(text) : text));
      }
    }
    flags(path);
    return request("GET query", "GET", path.toString(), null);
  }

  private Request ofSome(String what, String query) {
    StringBuilder path =
        new StringBuilder(
            "/api/query?start=%d&end=%d"
                .formatted(
                    OpenTsdbPoints.START + choices.below(4000),
                    OpenTsdbPoints.END - choices.below(4000)));
    path.append("&m=").append(encoded(query));
    flags(path);
    choices.note(what);
    return request("GET query of " + what, "GET", path.toString(), null);
  }

  private List<String> tsuids() {
    return choices.draw(
        "tsuids",
        List.of(
            List.of("@tsuid.sys.int{dc=lga,host=web01}@"),
            List.of("@tsuid.sys.int{dc=lga,host=web01}@", "@tsuid.sys.int{dc=sjc,host=web01}@"),
            List.of("@tsuid.sys.float{dc=lga,host=Web02}@"),
            List.of("0000"),
            List.of("zz")));
  }

  private void flags(StringBuilder path) {
    for (String flag :
        List.of(
            "ms",
            "arrays",
            "show_tsuids",
            "show_query",
            "show_summary",
            "show_stats",
            "no_annotations",
            "global_annotations",
            "padding")) {
      if (choices.oneIn(9)) {
        choices.note("flag " + flag);
        path.append('&').append(flag);
      }
    }
  }

  /** Returns a text with an error. */
  private String typo(String text) {
    int at = choices.below(text.length());
    return switch (choices.draw("typo", "missing", "doubled", "other", "cut")) {
      case "missing" -> text.substring(0, at) + text.substring(at + 1);
      case "doubled" -> text.substring(0, at) + text.charAt(at) + text.substring(at);
      case "cut" -> text.substring(0, at);
      default ->
          text.substring(0, at)
              + choices.pick("{", "}", ":", "=", ",", "*", "|", "(", ")", "-", "0", "x")
              + text.substring(at);
    };
  }

  private Request posted() {
    String metric = metric();
    boolean days = metric.equals(OpenTsdbPoints.DAYS);
    Map<String, @Nullable Object> query = new LinkedHashMap<>();
    query.put("start", choices.oneIn(2) ? OpenTsdbPoints.START : start(days));
    String end = end(days);
    if (end != null) {
      query.put("end", end);
    }
    if (choices.oneIn(4)) {
      query.put(
          "timezone",
          choices.draw("timezone", "UTC", "America/New_York", "Asia/Kolkata", "nonsense"));
    }
    if (choices.oneIn(4)) {
      query.put("useCalendar", choices.draw("useCalendar", true, false));
    }
    for (String flag :
        List.of(
            "msResolution",
            "showTSUIDs",
            "showQuery",
            "showSummary",
            "showStats",
            "noAnnotations",
            "globalAnnotations",
            "padding")) {
      if (choices.oneIn(9)) {
        choices.note("member " + flag);
        query.put(flag, true);
      }
    }
    List<Object> queries = new ArrayList<>();
    int count = choices.oneIn(6) ? 2 : 1;
    for (int i = 0; i < count; i++) {
      queries.add(sub(metric, days));
    }
    query.put("queries", queries);
    return request(
        "POST query",
        "POST",
        choices.oneIn(4) ? "/api/query?arrays" : "/api/query",
        text(query, 4));
  }

  /** Returns a document as text; one in so many has an error. */
  private String text(Object document, int oneIn) {
    String json = JsonTree.write(choices.oneIn(oneIn) ? mutation.mutated(document) : document);
    return choices.oneIn(40) ? json.substring(0, choices.below(json.length())) : json;
  }

  private Map<String, @Nullable Object> sub(String metric, boolean days) {
    Map<String, @Nullable Object> sub = new LinkedHashMap<>();
    sub.put("aggregator", choices.draw("aggregator in a body", AGGREGATORS));
    if (choices.oneIn(14)) {
      choices.note("tsuids in a body");
      sub.put("tsuids", tsuids());
    } else {
      sub.put("metric", metric);
    }
    if (choices.oneIn(2)) {
      sub.put("downsample", downsample(days));
    }
    if (choices.oneIn(4)) {
      choices.note("rate in a body");
      sub.put("rate", true);
      if (choices.oneIn(2)) {
        sub.put("rateOptions", rateOptions());
      }
    }
    if (choices.oneIn(3)) {
      sub.put(
          "tags",
          choices.draw(
              "tags",
              List.of(
                  JsonTree.object("host", "*"),
                  JsonTree.object("host", "web01|web03"),
                  JsonTree.object("dc", "wildcard(*j*)", "host", "web*"),
                  JsonTree.object("nothing", "*"))));
    } else if (choices.oneIn(2)) {
      sub.put("filters", filters());
    }
    if (choices.oneIn(8)) {
      sub.put("explicitTags", choices.draw("explicitTags", true, false));
    }
    return sub;
  }

  private Map<String, @Nullable Object> rateOptions() {
    Map<String, @Nullable Object> options = new LinkedHashMap<>();
    options.put("counter", choices.draw("counter", true, false));
    if (choices.oneIn(2)) {
      options.put("counterMax", choices.draw("counterMax", 1000, 65_535));
    }
    if (choices.oneIn(2)) {
      options.put("resetValue", choices.draw("resetValue", 0, 5));
    }
    if (choices.oneIn(3)) {
      options.put("dropResets", choices.draw("dropResets", true, false));
    }
    return options;
  }

  private List<Object> filters() {
    List<Object> filters = new ArrayList<>();
    int count = choices.oneIn(3) ? 2 : 1;
    for (int i = 0; i < count; i++) {
      String type =
          choices.draw(
              "filter",
              "literal_or",
              "iliteral_or",
              "not_literal_or",
              "not_iliteral_or",
              "wildcard",
              "iwildcard",
              "regexp",
              "not_key",
              "nonsense");
      String value =
          type.contains("literal")
              ? choices.pick("web01", "web01|Web02", "WEB03", "nobody")
              : type.equals("regexp") ? choices.pick("web0[13]", "^db", "[", "0") : "w*";
      filters.add(
          JsonTree.object(
              "type",
              type,
              "tagk",
              choices.pick("host", "host", "host", "dc", "nothing"),
              "filter",
              type.contains("wildcard") ? choices.pick("web*", "*", "*0*", "WEB*") : value,
              "groupBy",
              choices.draw("groupBy", true, false)));
    }
    return filters;
  }

  private Request last() {
    if (choices.oneIn(2)) {
      StringBuilder path = new StringBuilder("/api/query/last?");
      path.append(
          choices.oneIn(4)
              ? "tsuids=" + encoded(String.join(",", tsuids()))
              : "timeseries="
                  + encoded(
                      choices.draw(
                          "last",
                          "sys.int{host=web01,dc=lga}",
                          "sys.one{host=db-1}",
                          "sys.tags{host=web01}",
                          "sys.int{host=web01}",
                          "sys.unknown{host=web01}",
                          "sys.int",
                          "sys.int{host=",
                          "sys.ms{host=db-1}",
                          "")));
      if (choices.oneIn(2)) {
        path.append("&resolve");
      }
      if (choices.oneIn(3)) {
        path.append("&back_scan=").append(choices.draw("back_scan", "24", "1", "x"));
      }
      return request("GET query/last", "GET", path.toString(), null);
    }
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    body.put(
        "queries",
        List.of(
            choices.oneIn(3)
                ? JsonTree.object("tsuids", tsuids())
                : JsonTree.object(
                    "metric",
                    choices.pick("sys.int", "sys.tags"),
                    "tags",
                    JsonTree.object("host", "web01", "dc", "sjc"))));
    body.put("resolveNames", choices.draw("resolveNames", true, false));
    body.put("backScan", choices.draw("backScan", 0, 24, 1));
    return request("POST query/last", "POST", "/api/query/last", text(body, 3));
  }

  private Request functions() {
    String inner =
        choices.draw("aggregator of a function", AGGREGATORS)
            + ":"
            + (choices.oneIn(2) ? "5m-avg:" : "")
            + choices.pick("sys.int{dc=*}", "sys.float", "sys.one");
    String other = "sum:" + choices.pick("5m-avg:sys.int", "sys.one");
    String text =
        switch (choices.draw(
            "function",
            "scale",
            "absolute",
            "alias",
            "movingAverage",
            "movingAverage of time",
            "highestCurrent",
            "highestMax",
            "divide",
            "divideSeries",
            "sum",
            "sumSeries",
            "difference",
            "diffSeries",
            "multiply",
            "multiplySeries",
            "nested",
            "unknown",
            "malformed")) {
          case "scale" -> "scale(%s,%s)".formatted(inner, choices.pick("10", "-0.5", "x", ""));
          case "absolute" -> "absolute(" + inner + ")";
          case "alias" -> "alias(%s,%s)".formatted(inner, choices.pick("name", "of @host", "@dc"));
          case "movingAverage" -> "movingAverage(%s,%s)".formatted(inner, choices.pick("3", "0"));
          case "movingAverage of time" -> "movingAverage(%s,'%s')".formatted(inner, "10min");
          case "highestCurrent" -> "highestCurrent(" + inner + ",1)";
          case "highestMax" -> "highestMax(" + inner + "," + choices.pick("1", "5", "0") + ")";
          case "nested" -> "scale(absolute(" + inner + "),2)";
          case "unknown" -> "nonsense(" + inner + ")";
          case "malformed" -> choices.pick("scale(" + inner, "", "scale", "()", inner);
          case "divide" -> "divide(%s,%s)".formatted(inner, other);
          case "divideSeries" -> "divideSeries(%s,%s)".formatted(inner, other);
          case "sum" -> "sum(%s,%s)".formatted(inner, other);
          case "sumSeries" -> "sumSeries(%s,%s)".formatted(inner, other);
          case "difference" -> "difference(%s,%s)".formatted(inner, other);
          case "diffSeries" -> "diffSeries(%s,%s)".formatted(inner, other);
          case "multiply" -> "multiply(%s,%s)".formatted(inner, other);
          default -> "multiplySeries(%s,%s)".formatted(inner, other);
        };
    StringBuilder path =
        new StringBuilder(
            "/api/query/gexp?start=%d&end=%d&exp="
                .formatted(OpenTsdbPoints.START, OpenTsdbPoints.START + 7000));
    path.append(encoded(text));
    return request("GET query/gexp", "GET", path.toString(), null);
  }

  private Request formulas() {
    Map<String, @Nullable Object> time =
        JsonTree.object(
            "start",
            String.valueOf(OpenTsdbPoints.START),
            "end",
            choices.draw(
                "end of a formula",
                String.valueOf(OpenTsdbPoints.START + 7000),
                "1710005000123",
                "2024/03/09-16:20",
                "x"),
            "aggregator",
            choices.draw("aggregator of a formula", "sum", "avg", "max", "count", "zimsum"));
    if (choices.oneIn(2)) {
      time.put(
          "downsampler",
          JsonTree.object(
              "interval",
              choices.pick("1m", "5m"),
              "aggregator",
              choices.draw("downsampler of a formula", "avg", "sum", "max"),
              "fillPolicy",
              fill()));
    }
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    body.put("time", time);
    body.put(
        "filters",
        List.of(
            JsonTree.object(
                "id",
                "f1",
                "tags",
                List.of(
                    JsonTree.object(
                        "type",
                        "wildcard",
                        "tagk",
                        choices.pick("host", "dc"),
                        "filter",
                        "*",
                        "groupBy",
                        choices.oneIn(2))))));
    body.put(
        "metrics",
        List.of(
            JsonTree.object("id", "a", "metric", "sys.int", "filter", "f1", "fillPolicy", fill()),
            JsonTree.object(
                "id", "b", "metric", "sys.float", "filter", "f1", "fillPolicy", fill())));
    String formula =
        choices.draw(
            "formula",
            "a + b",
            "a - b * 2",
            "a / b",
            "a % 7",
            "-a",
            "(a + b) / 2.5",
            "a > b",
            "a lt b",
            "a > 0 && b > 0",
            "!(a > 0) || b ge 1",
            "a > b ? a : b",
            "a",
            "a +",
            "c",
            "a + c",
            "a == b",
            "a ne b");
    Map<String, @Nullable Object> expression = JsonTree.object("id", "e", "expr", formula);
    if (choices.oneIn(2)) {
      expression.put(
          "join",
          JsonTree.object(
              "operator",
              choices.draw("join", "union", "intersection", "nonsense"),
              "useQueryTags",
              choices.draw("useQueryTags", true, false),
              "includeAggTags",
              choices.draw("includeAggTags", true, false)));
    }
    if (choices.oneIn(3)) {
      expression.put("fillPolicy", fill());
    }
    body.put("expressions", List.of(expression));
    if (choices.oneIn(2)) {
      choices.note("outputs");
      body.put(
          "outputs", List.of(JsonTree.object("id", choices.pick("e", "a", "zz"), "alias", "E")));
    }
    return request("POST query/exp", "POST", "/api/query/exp", text(body, 4));
  }

  private Map<String, @Nullable Object> fill() {
    String policy = choices.draw("fillPolicy", "nan", "zero", "null", "none", "scalar");
    return policy.equals("scalar")
        ? JsonTree.object("policy", policy, "value", 2)
        : JsonTree.object("policy", policy);
  }

  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
