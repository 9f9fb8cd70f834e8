package dev.varve.acceptance;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Queries a dataset over KairosDB's API. */
final class KairosQuery {
  /** From 1970 to the latest time that is surely accepted. */
  private static final String ALL_TIME = "\"start_absolute\":1,\"end_absolute\":4102444800000";

  private KairosQuery() {}

  /** The metric and tags of a wanted series. */
  record Wanted(String metric, Map<String, String> tags) {
    private String json() {
      return tags.entrySet().stream()
          .map(tag -> quote(tag.getKey()) + ":[" + quote(tag.getValue()) + "]")
          .collect(Collectors.joining(",", "{\"name\":" + quote(metric) + ",\"tags\":{", "}}"));
    }
  }

  static String quote(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** Returns all samples of each wanted series, by time in milliseconds. */
  static List<NavigableMap<Long, BigDecimal>> all(
      VarveProcess server, String dataset, List<Wanted> wanted) throws IOException {
    String metrics = wanted.stream().map(Wanted::json).collect(Collectors.joining(","));
    HttpResponse<String> answer =
        server.post(
            "/datasets/" + dataset + "/api/v1/datapoints/query",
            "{" + ALL_TIME + ",\"metrics\":[" + metrics + "]}");
    if (answer.statusCode() != 200) {
      throw new AssertionError(
          "query of "
              + dataset
              + " answered "
              + answer.statusCode()
              + ": "
              + answer.body()
              + server.shownLog());
    }
    List<Object> queries = Json.elements(Json.object(answer.body()).get("queries"));
    List<NavigableMap<Long, BigDecimal>> found = new ArrayList<>();
    for (Object query : queries) {
      found.add(samples(Json.members(query)));
    }
    if (found.size() != wanted.size()) {
      throw new AssertionError(wanted.size() + " queries were answered by " + found.size());
    }
    return found;
  }

  private static NavigableMap<Long, BigDecimal> samples(Map<String, Object> query) {
    NavigableMap<Long, BigDecimal> samples = new TreeMap<>();
    for (Object result : Json.elements(query.get("results"))) {
      for (Object sample : Json.elements(Json.members(result).get("values"))) {
        List<Object> pair = Json.elements(sample);
        long time = ((BigDecimal) pair.get(0)).longValueExact();
        BigDecimal value = (BigDecimal) pair.get(1);
        BigDecimal other = samples.put(time, value);
        if (other != null) {
          throw new AssertionError("two values at " + time + ": " + other + " and " + value);
        }
      }
    }
    return samples;
  }
}
