package dev.varve.server.security;

import static dev.varve.server.opentsdb.query.Tsuid.Kind.METRIC;

import dev.varve.formats.protobuf.WireWriter;
import dev.varve.server.opentsdb.query.Tsuid;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.xerial.snappy.Snappy;

/**
 * A question of a dialect whose answer tells of series that some users must not see.
 *
 * @param route method, dialect and pattern of the route, as {@code GET prometheus /federate}
 * @param path with the parameters
 * @param secret what the answer holds of such series, as a regular expression
 */
record Probe(String route, String path, byte[] body, String secret) {
  static final String HIDDEN = "hidden";

  /** Of a series that some users must not see. */
  static final String TSUID =
      Tsuid.of("shared", Map.of("team", "blue", "host", "hidden_host", "hidden_tag", "x"));

  private static Probe of(String route, String path, String body) {
    return new Probe(route, path, body.getBytes(StandardCharsets.UTF_8), HIDDEN);
  }

  private Probe telling(String other) {
    return new Probe(route, path, body, other);
  }

  String method() {
    return route.substring(0, route.indexOf(' '));
  }

  @Override
  public String toString() {
    return route;
  }

  private static String url(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /**
   * Returns questions of all dialects.
   *
   * @param time of all samples, in ms
   */
  static List<Probe> all(long time) throws IOException {
    List<Probe> all = new ArrayList<>(prometheus(time));
    all.addAll(heroic(time));
    all.addAll(openTsdb(time));
    String query =
        "{\"start_absolute\":%d,\"metrics\":[{\"name\":\"shared\",\"group_by\":[{\"name\":\"tag\",\"tags\":[\"host\"]}]}]}"
            .formatted(time - 1000);
    for (String path : List.of("/api/v1/datapoints/query", "/api/v1/datapoints/query/tags")) {
      all.add(of("POST kairosdb " + path, "/kairosdb" + path, query));
      all.add(of("GET kairosdb " + path, "/kairosdb" + path + "?query=" + url(query), ""));
    }
    all.add(of("GET kairosdb /api/v1/metricnames", "/kairosdb/api/v1/metricnames", ""));
    String form = "selector=shared&from=%d&to=%d".formatted(time - 1000, time + 1000);
    for (String path : List.of("/v1/query", "/v1/explain")) {
      String secret = path.equals("/v1/query") ? HIDDEN : "\"seriesMatched\":2";
      all.add(of("POST varve " + path, "/varve" + path, form).telling(secret));
      all.add(of("GET varve " + path, "/varve" + path + "?" + form, "").telling(secret));
    }
    all.add(of("POST varve /v1/export", "/varve/v1/export", form));
    // Samples in blocks count when they are sealed.
    all.add(of("GET varve /v1/heatmap", "/datasets/buckets/varve/v1/heatmap", ""));
    return all;
  }

  private static List<Probe> prometheus(long time) throws IOException {
    List<Probe> all = new ArrayList<>();
    String every = "match[]=" + url("{__name__=~\".+\"}");
    String at = "time=" + time / 1000.0;
    String range = "start=%d&end=%d&step=1".formatted(time / 1000 - 1, time / 1000 + 1);
    for (String path :
        List.of(
            "query?query=shared&" + at,
            "query_range?query=shared&" + range,
            "labels?" + every,
            "series?" + every,
            "export?" + every,
            "export/csv?format=host,__value__,__timestamp__:unix_ms&" + every)) {
      int end = path.indexOf('?');
      String route = "/api/v1/" + path.substring(0, end);
      all.add(of("GET prometheus " + route, "/prometheus/api/v1/" + path, ""));
      all.add(of("POST prometheus " + route, "/prometheus" + route, path.substring(end + 1)));
    }
    for (String path :
        List.of("/api/v1/label/host/values", "/api/v1/metadata", "/api/v1/status/tsdb")) {
      String route = path.replace("/host/", "/*/");
      all.add(of("GET prometheus " + route, "/prometheus" + path, ""));
    }
    String alerts = "/api/v1/alerts";
    all.add(of("GET prometheus " + alerts, "/datasets/buckets/prometheus" + alerts, ""));
    all.add(of("GET prometheus /federate", "/prometheus/federate?" + every, ""));
    WireWriter matcher = new WireWriter().text(2, "__name__").text(3, "shared");
    WireWriter query =
        new WireWriter().varint(1, time - 1000).varint(2, time + 1000).message(3, matcher);
    byte[] read = Snappy.compress(new WireWriter().message(1, query).toBytes());
    all.add(new Probe("POST prometheus /api/v1/read", "/prometheus/api/v1/read", read, HIDDEN));
    return all;
  }

  private static List<Probe> heroic(long time) {
    List<Probe> all = new ArrayList<>();
    String range =
        "\"range\":{\"type\":\"absolute\",\"start\":%d,\"end\":%d}"
            .formatted(time - 10_000, time + 10_000);
    for (String path :
        List.of(
            "/keys",
            "/tags",
            "/metadata/keys",
            "/metadata/tags",
            "/metadata/series",
            "/metadata/tagkey-count",
            "/metadata/key-suggest",
            "/metadata/tag-suggest",
            "/metadata/tag-values-suggest")) {
      all.add(of("POST heroic " + path, "/heroic" + path, "{" + range + "}"));
    }
    String ofHost = "{%s,\"key\":\"host\"}".formatted(range);
    all.add(
        of(
            "POST heroic /metadata/tag-value-suggest",
            "/heroic/metadata/tag-value-suggest",
            ofHost));
    all.add(
        of("POST heroic /metadata/series-count", "/heroic/metadata/series-count", "{" + range + "}")
            .telling("\"count\":[2-9]"));
    String query = "{%s,\"filter\":[\"key\",\"shared\"]}".formatted(range);
    for (String path : List.of("/metrics", "/query/metrics")) {
      all.add(of("POST heroic " + path, "/heroic" + path, query));
    }
    all.add(
        of(
            "POST heroic /query/batch",
            "/heroic/query/batch",
            "{\"queries\":{\"a\":%s}}".formatted(query)));
    return all;
  }

  private static List<Probe> openTsdb(long time) {
    List<Probe> all = new ArrayList<>();
    String range = "start=%d&end=%d&".formatted(time - 1000, time + 1000);
    String grouped = url("sum:shared{host=*}");
    String posted =
        "{\"start\":%d,\"end\":%d,\"queries\":[{\"metric\":\"shared\",\"aggregator\":\"sum\",\"tags\":{\"host\":\"*\"}}]}"
            .formatted(time - 1000, time + 1000);
    all.add(of("GET opentsdb /api/query", "/opentsdb/api/query?" + range + "m=" + grouped, ""));
    all.add(of("POST opentsdb /api/query", "/opentsdb/api/query", posted));
    all.add(
        of(
            "GET opentsdb /api/query/gexp",
            "/opentsdb/api/query/gexp?" + range + "exp=" + url("scale(sum:shared{host=*},2)"),
            ""));
    all.add(
        of(
            "POST opentsdb /api/query/exp",
            "/opentsdb/api/query/exp",
            """
            {"time":{"start":"%d","end":"%d","aggregator":"sum"},
             "filters":[{"id":"f","tags":[{"type":"wildcard","tagk":"host","filter":"*","groupBy":true}]}],
             "metrics":[{"id":"a","metric":"shared","filter":"f"}],
             "expressions":[{"id":"e","expr":"a * 2"}],"outputs":[{"id":"e"}]}\
            """
                .formatted(time - 1000, time + 1000)));
    String last = "/opentsdb/api/query/last";
    all.add(of("GET opentsdb /api/query/last", last + "?resolve=true&timeseries=shared", ""));
    all.add(
        of(
            "POST opentsdb /api/query/last",
            last,
            "{\"queries\":[{\"metric\":\"shared\"}],\"resolveNames\":true}"));
    String lookup = "/opentsdb/api/search/lookup";
    all.add(of("GET opentsdb /api/search/lookup", lookup + "?m=shared", ""));
    all.add(of("POST opentsdb /api/search/lookup", lookup, "{\"metric\":\"shared\"}"));
    String suggest = "/opentsdb/api/suggest";
    all.add(of("GET opentsdb /api/suggest", suggest + "?type=metrics", ""));
    all.add(of("POST opentsdb /api/suggest", suggest, "{\"type\":\"tagv\",\"q\":\"h\"}"));
    all.add(of("GET opentsdb /api/suggest", suggest + "?type=tagk", ""));
    String known = "already exists";
    String rename = "/opentsdb/api/uid/rename";
    String exists = "cannot be renamed";
    all.add(
        of("GET opentsdb /api/uid/rename", rename + "?metric=hidden_metric&name=x", "")
            .telling(exists));
    all.add(
        of("POST opentsdb /api/uid/rename", rename, "{\"tagv\":\"hidden_host\",\"name\":\"x\"}")
            .telling(exists));
    String assign = "/opentsdb/api/uid/assign";
    all.add(
        of("GET opentsdb /api/uid/assign", assign + "?metric=hidden_metric", "").telling(known));
    all.add(
        of("POST opentsdb /api/uid/assign", assign, "{\"tagv\":[\"hidden_host\"]}").telling(known));
    String annotation = "/api/annotation?start_time=%d&tsuid=%s".formatted(time / 1000, TSUID);
    all.add(of("GET opentsdb /api/annotation", "/opentsdb" + annotation, ""));
    String named = "/api/uid/uidmeta?type=metric&uid=" + Tsuid.uid(METRIC, "hidden_metric");
    all.add(of("GET opentsdb /api/uid/uidmeta", "/opentsdb" + named, ""));
    String series = "/api/uid/tsmeta";
    all.add(of("GET opentsdb " + series, "/opentsdb" + series + "?tsuid=" + TSUID, ""));
    for (String method : List.of("GET", "POST")) {
      all.add(
          of(method + " opentsdb /api/stats", "/opentsdb/api/stats", "")
              .telling("series\",\"timestamp\":\\d+,\"value\":\"[3-9]\""));
    }
    return all;
  }
}
