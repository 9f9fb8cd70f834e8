package dev.varve.matrix.differential;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Makes random requests to OpenTSDB's API. */
final class OpenTsdbRequests {
  private final Choices choices;
  private final Mutation mutation;
  private final OpenTsdbQueries queries;
  private final OpenTsdbRollups rollups;
  private final OpenTsdbHistograms histograms;
  private Set<String> features = Set.of();
  private int written;
  private int named;
  private int deleted;

  OpenTsdbRequests(Choices choices, OpenTsdbRollups rollups, OpenTsdbHistograms histograms) {
    this.choices = choices;
    this.histograms = histograms;
    this.rollups = rollups;
    this.mutation = new Mutation(choices);
    this.queries = new OpenTsdbQueries(choices, rollups, histograms);
  }

  private Request request(String endpoint, String method, String path, @Nullable String body) {
    choices.note("endpoint " + endpoint);
    return new Request(method, path, body, Set.copyOf(features));
  }

  /** Returns a request that reads, or changes what it alone reads. */
  Request any() {
    if (!choices.oneIn(5)) {
      return queries.any();
    }
    features = choices.begin();
    return switch (choices.draw(
        "kind",
        "about",
        "about ",
        "suggest",
        "lookup",
        "lookup ",
        "uid",
        "meta",
        "annotation",
        "annotation ",
        "rollup",
        "histogram")) {
      case "suggest" -> suggest();
      case "lookup", "lookup " -> lookup();
      case "uid" -> uid();
      case "meta" -> meta();
      case "rollup" -> rollup();
      case "histogram" -> histogram();
      case "annotation", "annotation " -> annotation();
      default -> about();
    };
  }

  private Request rollup() {
    List<Object> points = rollups.some();
    String flags = choices.draw("flags of rollup", "?sync", "?sync&summary", "?sync&details");
    return request(
        "POST rollup",
        "POST",
        "/api/rollup" + flags,
        JsonTree.write(points.size() == 1 ? points.getFirst() : points));
  }

  private Request histogram() {
    List<Object> points = histograms.some();
    String flags = choices.draw("flags of histogram", "?sync", "?sync&summary", "?sync&details");
    return request(
        "POST histogram",
        "POST",
        "/api/histogram" + flags,
        JsonTree.write(points.size() == 1 ? points.getFirst() : points));
  }

  private Request about() {
    String path =
        choices.draw(
            "about",
            "aggregators",
            "config",
            "config/filters",
            "dropcaches",
            "stats",
            "stats/jvm",
            "stats/query",
            "stats/region_clients",
            "stats/threads",
            "version",
            "serializers",
            "nonsense",
            "search/tsmeta?query=*",
            "query?jsonp=f&start=1h-ago&m=sum:sys.int",
            "tree",
            "put",
            "rollup",
            "histogram",
            "v1/aggregators",
            "v2/aggregators");
    return request("GET " + path, "GET", "/api/" + path, null);
  }

  private Request suggest() {
    String type = choices.draw("suggest", "metrics", "tagk", "tagv", "nonsense");
    String prefix = choices.pick("", "sys.", "w", "host", "zzz", "W");
    String max = choices.draw("max", "none", "1", "3", "x", "0");
    if (choices.oneIn(3)) {
      Map<String, @Nullable Object> body = JsonTree.object("type", type, "q", prefix);
      if (!max.equals("none")) {
        body.put("max", max.equals("x") ? max : (Object) Integer.valueOf(max));
      }
      return request("POST suggest", "POST", "/api/suggest", text(body));
    }
    return request(
        "GET suggest",
        "GET",
        "/api/suggest?type=%s&q=%s%s"
            .formatted(type, prefix, max.equals("none") ? "" : "&max=" + max),
        null);
  }

  private String text(Object document) {
    String json = JsonTree.write(choices.oneIn(3) ? mutation.mutated(document) : document);
    return choices.oneIn(20) ? json.substring(0, choices.below(json.length())) : json;
  }

  private Request lookup() {
    if (choices.oneIn(2)) {
      String query =
          choices.draw(
              "lookup",
              "sys.int",
              "sys.int{host=web01}",
              "sys.tags{rack=}",
              "sys.int{=lga}",
              "{host=db-1}",
              "sys.int{host=*}",
              "sys.unknown",
              "sys.int{nothing=a}",
              "",
              "sys.int{",
              "sys.int{host=web01,host=web03}",
              "*{rack=r1}",
              "sys.int{}");
      return request(
          "GET search/lookup",
          "GET",
          "/api/search/lookup?m="
              + OpenTsdbQueries.encoded(query)
              + choices.pick("", "&limit=2", "&limit=x", "&limit=100"),
          null);
    }
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    body.put(
        "metric", choices.draw("metric of a lookup", "sys.int", "sys.tags", "*", "sys.unknown"));
    body.put(
        "tags",
        List.of(
            choices.draw(
                "tag of a lookup",
                JsonTree.object("key", "host", "value", "web01"),
                JsonTree.object("key", "dc", "value", "*"),
                JsonTree.object("key", "*", "value", "lga"),
                JsonTree.object("key", "nothing", "value", "x"))));
    body.put("useMeta", true);
    if (choices.oneIn(2)) {
      body.put("limit", choices.pick(1, 3, 100));
    }
    return request("POST search/lookup", "POST", "/api/search/lookup", text(body));
  }

  private Request uid() {
    String fresh = "new-" + named++;
    return switch (choices.draw(
        "uid",
        "assign new",
        "assign known",
        "assign odd",
        "assign nothing",
        "assign posted",
        "rename unknown",
        "rename incomplete")) {
      case "assign new" ->
          request("GET uid/assign", "GET", "/api/uid/assign?metric=" + fresh, null);
      case "assign known" ->
          request("GET uid/assign", "GET", "/api/uid/assign?tagk=host&metric=sys.int", null);
      case "assign odd" ->
          request(
              "GET uid/assign",
              "GET",
              "/api/uid/assign?tagv=" + choices.pick("a%20b", "a%26b"),
              null);
      case "assign nothing" -> request("GET uid/assign", "GET", "/api/uid/assign", null);
      case "assign posted" ->
          request(
              "POST uid/assign",
              "POST",
              "/api/uid/assign",
              text(JsonTree.object("metric", List.of(fresh), "tagv", List.of("web01"))));
      case "rename incomplete" ->
          choices.oneIn(2)
              ? request("GET uid/rename", "GET", "/api/uid/rename?metric=sys.unknown", null)
              : request(
                  "POST uid/rename",
                  "POST",
                  "/api/uid/rename",
                  JsonTree.write(JsonTree.object("name", fresh)));
      default ->
          request(
              "GET uid/rename",
              "GET",
              "/api/uid/rename?%s&name=%s"
                  .formatted(
                      choices.pick("metric=sys.unknown", "tagk=nothing", "tagv=a%20b"), fresh),
              null);
    };
  }

  private Request meta() {
    return switch (choices.draw(
        "meta",
        "uidmeta",
        "uidmeta unknown",
        "uidmeta odd",
        "uidmeta missing",
        "tsmeta",
        "tsmeta missing",
        "tsmeta create",
        "tsmeta create",
        "tsmeta post",
        "tsmeta put",
        "tsmeta get",
        "tsmeta of metric",
        "tsmeta delete")) {
      case "uidmeta" ->
          request(
              "GET uid/uidmeta",
              "GET",
              "/api/uid/uidmeta?type=metric&uid=@uid.metric.sys.int@",
              null);
      case "uidmeta unknown" ->
          request("GET uid/uidmeta", "GET", "/api/uid/uidmeta?type=tagk&uid=FFFFFF", null);
      case "uidmeta odd" ->
          request("GET uid/uidmeta", "GET", "/api/uid/uidmeta?type=nonsense&uid=FFFFFF", null);
      case "uidmeta missing" ->
          request("GET uid/uidmeta", "GET", "/api/uid/uidmeta?type=metric", null);
      case "tsmeta" ->
          request(
              "GET uid/tsmeta",
              "GET",
              "/api/uid/tsmeta?tsuid=@tsuid.sys.int{dc=lga,host=web01}@",
              null);
      case "tsmeta create" ->
          request(
              "POST uid/tsmeta",
              "POST",
              "/api/uid/tsmeta?m="
                  + OpenTsdbQueries.encoded("sys.one{host=db-1}")
                  + choices.pick("&create=true", "&create=true", ""),
              JsonTree.write(seriesMeta(null)));
      case "tsmeta post" ->
          request(
              "POST uid/tsmeta",
              "POST",
              "/api/uid/tsmeta",
              JsonTree.write(seriesMeta("@tsuid.sys.one{host=db-1}@")));
      case "tsmeta put" ->
          request(
              "PUT uid/tsmeta",
              "PUT",
              "/api/uid/tsmeta",
              JsonTree.write(seriesMeta("@tsuid.sys.one{host=db-1}@")));
      case "tsmeta get" ->
          request(
              "GET uid/tsmeta", "GET", "/api/uid/tsmeta?tsuid=@tsuid.sys.one{host=db-1}@", null);
      case "tsmeta of metric" ->
          request(
              "GET uid/tsmeta",
              "GET",
              "/api/uid/tsmeta?m="
                  + OpenTsdbQueries.encoded(
                      choices.pick("sys.one", "sys.one{host=db-1}", "sys.unknown", "sys.one{host")),
              null);
      case "tsmeta delete" ->
          request(
              "DELETE uid/tsmeta",
              "DELETE",
              "/api/uid/tsmeta?tsuid=@tsuid.sys.one{host=db-1}@",
              null);
      default -> request("GET uid/tsmeta", "GET", "/api/uid/tsmeta", null);
    };
  }

  private Map<String, @Nullable Object> seriesMeta(@Nullable String tsuid) {
    Map<String, @Nullable Object> meta = new LinkedHashMap<>();
    if (tsuid != null) {
      meta.put("tsuid", tsuid);
    }
    if (choices.oneIn(2)) {
      meta.put("displayName", "one " + choices.below(3));
    }
    if (choices.oneIn(2)) {
      meta.put("custom", JsonTree.object("owner", "me"));
      meta.put("units", "ms");
    }
    if (choices.oneIn(3)) {
      meta.put("retention", choices.below(3));
      meta.put("max", new JsonTree.Numeral("7.5"));
      meta.put("dataType", "gauge");
    }
    return meta;
  }

  private Request annotation() {
    String tsuid =
        choices.draw(
            "annotation of",
            "",
            "@tsuid.sys.int{dc=lga,host=web01}@",
            "@tsuid.sys.one{host=db-1}@");
    long time = OpenTsdbPoints.START + 600L * choices.below(6);
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    body.put("startTime", time);
    if (!tsuid.isEmpty()) {
      body.put("tsuid", tsuid);
    }
    body.put("description", "deploy " + choices.below(3));
    if (choices.oneIn(2)) {
      body.put("notes", "by hand");
      body.put("custom", JsonTree.object("owner", "me", "dept", "ops"));
    }
    if (choices.oneIn(3)) {
      body.put("endTime", time + 60);
    }
    String named = "start_time=%d%s".formatted(time, tsuid.isEmpty() ? "" : "&tsuid=" + tsuid);
    return switch (choices.draw(
        "annotation",
        "post",
        "post ",
        "put",
        "get",
        "get ",
        "delete",
        "list",
        "bulk",
        "bulk delete",
        "in url")) {
      case "put" -> request("PUT annotation", "PUT", "/api/annotation", text(body));
      case "get", "get " -> request("GET annotation", "GET", "/api/annotation?" + named, null);
      case "delete" -> request("DELETE annotation", "DELETE", "/api/annotation?" + named, null);
      case "list" ->
          request(
              "GET annotations",
              "GET",
              "/api/annotations?start_time=%d&end_time=%d"
                  .formatted(OpenTsdbPoints.START, OpenTsdbPoints.END),
              null);
      case "bulk" ->
          request("POST annotation/bulk", "POST", "/api/annotation/bulk", text(List.of(body)));
      case "bulk delete" ->
          request(
              "DELETE annotation/bulk",
              "DELETE",
              "/api/annotation/bulk?start_time=%d&end_time=%d&%s"
                  .formatted(time, time + 1200, tsuid.isEmpty() ? "global" : "tsuids=" + tsuid),
              null);
      case "in url" ->
          request(
              "GET annotation",
              "GET",
              "/api/annotation?method_override=post&description=x&" + named,
              null);
      default -> request("POST annotation", "POST", "/api/annotation", text(body));
    };
  }

  /** Returns a request that writes points of a metric of its own, of known tags. */
  Request write() {
    features = choices.begin();
    String metric = "zput.%03d".formatted(written++);
    List<Object> points = new ArrayList<>();
    for (int i = choices.below(3); i >= 0; i--) {
      points.add(point(metric));
    }
    String flags =
        choices.draw(
            "flags of put",
            "?sync",
            "?sync&summary",
            "?sync&details",
            "?sync&summary&details",
            "?sync&sync_timeout=30000",
            "?sync&details&sync_timeout=30000");
    Object body = points.size() == 1 && choices.oneIn(2) ? points.getFirst() : points;
    return request("POST put", "POST", "/api/put" + flags, text(body));
  }

  private Map<String, @Nullable Object> point(String metric) {
    Object value =
        switch (choices.draw(
            "value", "integer", "decimal", "exponent", "text", "text of decimal", "odd", "large")) {
          case "integer" -> choices.between(-1000, 1000);
          case "decimal" -> new JsonTree.Numeral(choices.between(-1000, 1000) + ".25");
          case "exponent" -> new JsonTree.Numeral(choices.pick("1.5e3", "2e2", "-1.25E-2"));
          case "text" -> choices.pick("17", "-17", "+17", "007");
          case "text of decimal" -> choices.pick("1.5", "-.5", "1.", "1e3");
          case "odd" -> choices.pick("NaN", "Infinity", "word", "0x10", "", "1,5", "-");
          default -> Long.MAX_VALUE;
        };
    Object time =
        switch (choices.draw("time", "s", "s ", "ms", "text", "zero", "negative", "long")) {
          case "ms" -> (OpenTsdbPoints.START + choices.below(3600)) * 1000 + choices.below(1000);
          case "text" -> String.valueOf(OpenTsdbPoints.START + choices.below(3600));
          case "zero" -> 0;
          case "negative" -> -5;
          case "long" -> 17_100_000_000_000_000L;
          default -> OpenTsdbPoints.START + choices.below(3600);
        };
    Map<String, @Nullable Object> tags =
        choices.draw(
            "tags of a point",
            JsonTree.object("host", "web01"),
            JsonTree.object("host", "web01", "dc", "lga"),
            JsonTree.object("host", "web03"),
            JsonTree.object());
    return JsonTree.object("metric", metric, "timestamp", time, "value", value, "tags", tags);
  }

  /** Returns the names of all metrics that writes until now have named. */
  List<String> written() {
    List<String> metrics = new ArrayList<>();
    for (int i = 0; i < written; i++) {
      metrics.add("zput.%03d".formatted(i));
    }
    return metrics;
  }

  /** Returns requests that read metrics that were written. */
  static List<Request> read(List<String> metrics) {
    return metrics.stream()
        .map(metric ->
            new Request(
                "GET",
                "/api/query?start=%d&end=%d&ms&m=none:%s"
                    .formatted(OpenTsdbPoints.START, OpenTsdbPoints.END, metric),
                null,
                Set.of("reads what was written")))
        .toList();
  }

  /**
   * Writes points of an hour to a metric, deletes the hour, and reads it: the original deletes
   * whole hours, and answers before it has done so.
   *
   * @param settled takes requests whose answers become equal in a while
   */
  void delete(Consumer<Request> send, Consumer<Request> settled) {
    features = choices.begin();
    String metric = "zz.%03d".formatted(deleted++);
    long start = OpenTsdbPoints.START + 3600L * choices.below(3);
    List<Object> points = new ArrayList<>();
    for (String host : List.of("web01", "web03")) {
      points.add(
          JsonTree.object(
              "metric",
              metric,
              "timestamp",
              start + choices.below(3600),
              "value",
              1,
              "tags",
              JsonTree.object("host", host)));
    }
    send.accept(request("POST put", "POST", "/api/put?sync", JsonTree.write(points)));
    features = choices.begin();
    String host = choices.draw("deleted", "web01", "*", "web01|web03");
    String query = "start=%d&end=%d&m=".formatted(start, start + 3599);
    String filtered = OpenTsdbQueries.encoded("none:" + metric + "{host=" + host + "}");
    send.accept(
        switch (choices.draw("delete by", "method", "override", "member")) {
          case "method" ->
              request("DELETE query", "DELETE", "/api/query?" + query + filtered, null);
          case "override" ->
              request(
                  "GET query with delete",
                  "GET",
                  "/api/query?method_override=delete&" + query + filtered,
                  null);
          default ->
              request(
                  "POST query with delete",
                  "POST",
                  "/api/query",
                  JsonTree.write(
                      JsonTree.object(
                          "start",
                          start,
                          "end",
                          start + 3599,
                          "delete",
                          true,
                          "queries",
                          List.of(
                              JsonTree.object(
                                  "aggregator",
                                  "none",
                                  "metric",
                                  metric,
                                  "tags",
                                  JsonTree.object("host", host))))));
        });
    settled.accept(
        new Request(
            "GET",
            "/api/query?" + query + "none:" + metric,
            null,
            Set.of("reads what deletes left")));
  }
}
