package dev.varve.matrix.differential;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Makes random requests to KairosDB's API. */
final class KairosDbRequests {
  private static final String API = "/api/v1/";

  private static final Pattern SHORT_GAPS =
      Pattern.compile(
          "\"name\":\"gaps\",\"sampling\":\\{\"value\":\\d+,\"unit\":\"(seconds|minutes|MINUTES)\"");

  private final Choices choices;
  private final Mutation mutation;
  private final KairosDbQueries queries;
  private final Supplier<List<String>> ids;
  private int written;

  /**
   * Creates a generator.
   *
   * @param ids the IDs of roll-ups that exist, in their common names
   */
  KairosDbRequests(Choices choices, Supplier<List<String>> ids) {
    this.choices = choices;
    this.mutation = new Mutation(choices);
    this.queries = new KairosDbQueries(choices);
    this.ids = ids;
  }

  private Request request(String endpoint, String method, String path, @Nullable String body) {
    choices.note("endpoint " + endpoint);
    return new Request(method, API + path, body, Set.copyOf(features));
  }

  private Set<String> features = Set.of();

  /** Returns a request that reads, or that changes what only the request's kind reads. */
  Request any() {
    features = choices.begin();
    return switch (choices.below(20)) {
      case 0 -> tags();
      case 1 -> metadata();
      case 2 -> choices.oneIn(2) ? about() : rollups();
      case 3 -> rollups();
      default -> query();
    };
  }

  /** Returns a request that writes to a metric of its own. */
  Request write() {
    features = choices.begin();
    Map<String, @Nullable Object> series = series("w." + written++);
    List<Object> all = new ArrayList<>(List.of(series));
    if (choices.oneIn(4)) {
      choices.note("second series");
      all.add(series("w." + written++));
    }
    Object body = choices.draw("body", "array", "object").equals("array") ? all : series;
    return request("POST datapoints", "POST", "datapoints", text(body, 2));
  }

  private Map<String, @Nullable Object> series(String name) {
    Map<String, @Nullable Object> series = new LinkedHashMap<>();
    series.put("name", name);
    series.put("tags", JsonTree.object("host", choices.pick("a", "b", "\u00fc x")));
    String form = choices.draw("points", "datapoints", "timestamp", "time", "both", "neither");
    if (form.equals("datapoints") || form.equals("both")) {
      List<Object> points = new ArrayList<>();
      for (int i = choices.below(4); i >= 0; i--) {
        List<Object> point = new ArrayList<>(List.of(time(), value()));
        if (choices.oneIn(4)) {
          point.add(choices.draw("type of a point", "long", "double", "string", "nonsense"));
        }
        points.add(point);
      }
      series.put("datapoints", points);
    }
    if (!form.equals("datapoints") && !form.equals("neither")) {
      series.put(form.equals("time") ? "time" : "timestamp", time());
      series.put("value", value());
    }
    if (choices.oneIn(4)) {
      series.put("type", choices.draw("type", "long", "double", "string", "nonsense"));
    }
    if (choices.oneIn(8)) {
      choices.note("ttl");
      series.put("ttl", choices.pick(0, 100_000));
    }
    if (choices.oneIn(8)) {
      series.put("skip_validate", choices.draw("skip_validate", true, false));
    }
    return series;
  }

  private Object time() {
    long time = KairosDbPoints.START + 1 + choices.below(1_000_000);
    return switch (choices.draw("time", "whole", "whole ", "text", "negative", "zero")) {
      case "text" -> String.valueOf(time);
      case "negative" -> -time;
      case "zero" -> 0;
      default -> time;
    };
  }

  private Object value() {
    return switch (choices.draw(
        "value",
        "long",
        "double",
        "exponent",
        "text",
        "text of long",
        "text of double",
        "truth",
        "large")) {
      case "long" -> choices.between(-1000, 1000);
      case "double" -> new JsonTree.Numeral(choices.between(-1000, 1000) + ".25");
      case "exponent" -> new JsonTree.Numeral(choices.pick("1.5e3", "2.5E-7", "-1.25e+2"));
      case "text" -> choices.pick("some text", "\u00e4\ud83d\ude00", "1.2.3.4", "+", "-5x");
      case "text of long" -> choices.pick("17", "-17", "+17", "017");
      case "text of double" -> choices.pick("1.5", "-.5", "+2.25", "1.");
      case "truth" -> choices.oneIn(2);
      default -> Long.MAX_VALUE - choices.below(9);
    };
  }

  /** Returns a document as text; one in so many has an error. */
  private String text(Object document, int oneIn) {
    return damaged(JsonTree.write(choices.oneIn(oneIn) ? mutation.mutated(document) : document));
  }

  /** Returns a text that is no JSON at times. */
  private String damaged(String json) {
    if (!choices.oneIn(25)) {
      return json;
    }
    return switch (choices.draw("damage", "cut", "nothing", "no object", "blank")) {
      case "cut" -> json.substring(0, json.length() / 2);
      case "nothing" -> "";
      case "no object" -> choices.pick("5", "\"text\"", "null", "true");
      default -> "  ";
    };
  }

  /** Returns the names of all metrics that writes until now have named. */
  List<String> written() {
    List<String> metrics = new ArrayList<>(queries.saved());
    for (int i = 0; i < written; i++) {
      metrics.add("w." + i);
    }
    return metrics;
  }

  /** Returns requests that read metrics that were written. */
  static List<Request> read(List<String> metrics) {
    return metrics.stream()
        .map(metric ->
            new Request(
                "POST",
                API + "datapoints/query",
                "{\"start_absolute\":-2000000000000,\"metrics\":[{\"name\":\"%s\",\"group_by\":[{\"name\":\"tag\",\"tags\":[\"host\",\"saved_from\",\"by\"]}]}]}"
                    .formatted(metric),
                Set.of(
                    metric.startsWith("w.") ? "reads what was written" : "reads what was saved")))
        .toList();
  }

  private Request query() {
    Map<String, @Nullable Object> query = queries.query();
    boolean gaps = features.contains("aggregator gaps");
    if (choices.oneIn(30)) {
      wrongName(query);
    }
    if (SHORT_GAPS.matcher(JsonTree.write(query)).find()) {
      // Without an end, gaps go up to now, which differs between two answers.
      long start = Long.parseLong(String.valueOf(query.get("start_absolute")));
      query.putIfAbsent(
          "end_absolute",
          start < KairosDbPoints.SPARSE_START ? KairosDbPoints.END : KairosDbPoints.SPARSE_END);
    }
    // Ranges without points are listed, so that a wrong length of a range makes an endless answer.
    String json = gaps ? JsonTree.write(query) : text(query, 3);
    return choices.oneIn(12)
        ? request("GET datapoints/query", "GET", "datapoints/query?query=" + encoded(json), null)
        : request("POST datapoints/query", "POST", "datapoints/query", json);
  }

  private void wrongName(Map<String, @Nullable Object> query) {
    String kind = choices.draw("unknown", "aggregator", "group_by", "plugin");
    query.put(
        "metrics",
        List.of(
            JsonTree.object(
                "name",
                "cpu",
                kind.equals("plugin") ? "plugins" : kind.equals("group_by") ? kind : "aggregators",
                List.of(JsonTree.object("name", "nonsense")))));
  }

  private Request tags() {
    Map<String, @Nullable Object> query = new LinkedHashMap<>();
    query.put("start_absolute", KairosDbPoints.START);
    Map<String, @Nullable Object> metric = new LinkedHashMap<>();
    metric.put("name", choices.draw("metric of tags", KairosDbPoints.DENSE));
    if (choices.oneIn(2)) {
      metric.put("tags", queries.tags());
    }
    query.put("metrics", List.of(metric));
    return request("POST query/tags", "POST", "datapoints/query/tags", text(query, 3));
  }

  private Request about() {
    String path =
        choices.draw(
            "about",
            "version",
            "health/check",
            "health/status",
            "features",
            "features/aggregators",
            "features/group_by",
            "features/nonsense",
            "metricnames",
            "metricnames?prefix=c",
            "metricnames?prefix=zzz",
            "tagnames",
            "tagvalues",
            "admin/killquery/abc",
            "nonsense",
            "admin/runningqueries");
    return request("GET " + path, "GET", path, null);
  }

  private Request metadata() {
    String service = choices.draw("service", "alpha", "beta", "_Own");
    String serviceKey = choices.pick("one", "two");
    String key = choices.pick("k1", "k2", "other", "a%20b");
    String all = "metadata/" + service;
    String of = all + "/" + serviceKey;
    return switch (choices.draw(
        "metadata", "set", "set ", "get", "remove", "keys", "keys from", "service keys")) {
      case "get" -> request("GET metadata key", "GET", of + "/" + key, null);
      case "remove" -> request("DELETE metadata key", "DELETE", of + "/" + key, null);
      case "keys" -> request("GET metadata keys", "GET", of, null);
      case "keys from" -> request("GET metadata keys", "GET", of + "?startsWith=k", null);
      case "service keys" -> request("GET metadata service", "GET", all, null);
      default ->
          request(
              "POST metadata key",
              "POST",
              of + "/" + key,
              choices.pick("plain text", "{\"a\":1}", "\u00fc\n"));
    };
  }

  private Request rollups() {
    List<String> known = ids.get();
    String id = known.isEmpty() || choices.oneIn(6) ? "unknown" : choices.pick(known);
    return switch (choices.draw(
        "rollup", "create", "create ", "create  ", "list", "one", "replace", "remove")) {
      case "list" -> request("GET rollups", "GET", "rollups", null);
      case "one" -> request("GET rollups id", "GET", "rollups/" + id, null);
      case "replace" -> request("PUT rollups id", "PUT", "rollups/" + id, rollup());
      case "remove" -> request("DELETE rollups id", "DELETE", "rollups/" + id, null);
      default -> request("POST rollups", "POST", "rollups", rollup());
    };
  }

  private String rollup() {
    Map<String, @Nullable Object> task = new LinkedHashMap<>();
    task.put("name", choices.pick("hourly", "daily"));
    task.put("execution_interval", JsonTree.object("value", 4, "unit", "weeks"));
    Map<String, @Nullable Object> metric = new LinkedHashMap<>();
    metric.put("name", "cpu");
    metric.put(
        "aggregators",
        List.of(
            JsonTree.object(
                "name",
                choices.pick("sum", "avg", "diff"),
                "sampling",
                JsonTree.object("value", 1, "unit", "hours"))));
    Map<String, @Nullable Object> query = new LinkedHashMap<>();
    query.put("start_relative", JsonTree.object("value", 1, "unit", "hours"));
    query.put("metrics", List.of(metric));
    Map<String, @Nullable Object> one = new LinkedHashMap<>();
    one.put("save_as", "rolled.up");
    one.put("query", query);
    task.put("rollups", List.of(one));
    return text(task, 2);
  }

  /** Returns a request that deletes points of the queries' metrics. */
  Request delete() {
    features = choices.begin();
    if (choices.oneIn(5)) {
      String metric = choices.draw("deleted metric", "one", "w.1", "nothing");
      return request("DELETE metric", "DELETE", "metric/" + encoded(metric), null);
    }
    Map<String, @Nullable Object> query = new LinkedHashMap<>();
    long from = choices.between(KairosDbPoints.START, KairosDbPoints.END);
    query.put("start_absolute", from);
    if (!choices.oneIn(6)) {
      query.put("end_absolute", from + choices.below(3_000_000));
    }
    Map<String, @Nullable Object> metric = new LinkedHashMap<>();
    metric.put("name", choices.draw("deleted", KairosDbPoints.DENSE));
    if (choices.oneIn(2)) {
      metric.put("tags", queries.tags());
    }
    query.put("metrics", List.of(metric));
    return request("POST datapoints/delete", "POST", "datapoints/delete", text(query, 4));
  }

  /** Returns a request that reads the points of all metrics that deletes may have deleted. */
  Request readRest() {
    List<Object> metrics = new ArrayList<>();
    for (String name : KairosDbPoints.DENSE) {
      metrics.add(
          JsonTree.object(
              "name",
              name,
              "group_by",
              List.of(JsonTree.object("name", "tag", "tags", List.of("host", "dc", "rack")))));
    }
    return new Request(
        "POST",
        API + "datapoints/query",
        JsonTree.write(JsonTree.object("start_absolute", 1, "metrics", metrics)),
        Set.of("reads what deletes left"));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
