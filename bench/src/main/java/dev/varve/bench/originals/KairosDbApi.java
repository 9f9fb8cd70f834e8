package dev.varve.bench.originals;

import java.util.ArrayList;
import java.util.List;

/** Writes and questions in KairosDB's API. */
record KairosDbApi(Fleet fleet) {
  private static final int SERIES_OF_WRITE = 10;

  /** Returns the requests that write all points, under the name of a metric. */
  List<Question> writes(String metric) {
    List<Question> writes = new ArrayList<>();
    List<String> body = new ArrayList<>();
    fleet.each((tags, values) -> {
      body.add(series(metric, tags, values));
      if (body.size() == SERIES_OF_WRITE) {
        writes.add(write(body));
        body.clear();
      }
    });
    if (!body.isEmpty()) {
      writes.add(write(body));
    }
    return writes;
  }

  private static Question write(List<String> series) {
    return Question.post("writes", "/api/v1/datapoints", "[" + String.join(",", series) + "]");
  }

  private static String series(String metric, String tags, double[] values) {
    StringBuilder text = new StringBuilder();
    text.append("{\"name\":\"%s\",\"tags\":%s,\"datapoints\":[".formatted(metric, tags));
    for (int i = 0; i < values.length; i++) {
      text.append(i == 0 ? "[" : ",[").append(Fleet.time(i)).append(',');
      text.append(Fleet.text(values[i])).append(']');
    }
    return text.append("]}").toString();
  }

  List<Question> questions() {
    String some = "\"host\":[" + fleet.someHosts(",", "\"") + "]";
    String one = "\"cpu\":[\"1\"],\"host\":[" + fleet.someHosts(",", "\"").split(",", 2)[0] + "]";
    String byHost = "[{\"name\":\"tag\",\"tags\":[\"host\"]}]";
    String query = "/api/v1/datapoints/query";
    return List.of(
        Question.post("one series raw", query, query(one, "", "[]")),
        Question.post(
            fleet.someSeries() + " series averaged by host",
            query,
            query(some, window("avg", ""), byHost)),
        Question.post(
            fleet.seriesInEast() + " series summed",
            query,
            query("\"dc\":[\"east\"]", window("sum", ""), "[]")),
        Question.post(
            fleet.someSeries() + " series, 95th percentile",
            query,
            query(some, window("percentile", ",\"percentile\":0.95"), "[]")),
        Question.post("tags", query + "/tags", query("\"dc\":[\"east\"]", "", "[]")),
        Question.get("metric names", "/api/v1/metricnames"));
  }

  private String query(String tags, String aggregators, String groups) {
    return "{\"start_absolute\":%d,\"end_absolute\":%d,\"metrics\":[{\"name\":\"%s\",\"tags\":{%s},\"aggregators\":[%s],\"group_by\":%s}]}"
        .formatted(fleet.from(), fleet.last(), Fleet.METRIC, tags, aggregators, groups);
  }

  private static String window(String name, String more) {
    return "{\"name\":\"%s\"%s,\"sampling\":{\"value\":5,\"unit\":\"minutes\"}}"
        .formatted(name, more);
  }
}
