package dev.varve.cli.migrate;

import dev.varve.cli.JsonTree;
import dev.varve.cli.ServerConnection;
import dev.varve.cli.ServerRequest;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Lists metrics and series by the API of Prometheus, which VictoriaMetrics has too. */
final class PrometheusListing {
  /** Some servers list the latest series alone unless they are told a range. */
  private static final TimeRange WORLD = TimeRange.closed(0, 4_102_444_800_000L);

  private final ServerConnection connection;
  private final Selection selection;
  private final TimeRange times;

  PrometheusListing(ServerConnection connection, Selection selection) {
    this.connection = connection;
    this.selection = selection;
    this.times = selection.range(Resolution.MILLISECONDS).intersect(WORLD);
  }

  /** Returns the first instant to copy, in ms since 1970. */
  long first() {
    return times.from();
  }

  /** Returns the last instant to copy, in ms since 1970. */
  long last() {
    return times.to() - 1;
  }

  List<String> metrics() throws IOException {
    return elements("/api/v1/label/__name__/values", selection.selector()).stream()
        .map(String::valueOf)
        .sorted()
        .toList();
  }

  /** Returns the labels of the series of a metric, in the order of the series. */
  List<Series> series(String metric) throws IOException {
    List<Series> all = new ArrayList<>();
    for (Object element : elements("/api/v1/series", selection.of(metric))) {
      Map<String, String> labels = new TreeMap<>();
      if (element instanceof Map<?, ?> members) {
        members.forEach((name, value) -> labels.put(String.valueOf(name), String.valueOf(value)));
      }
      labels.remove(Series.NAME_LABEL);
      String field = labels.remove(Series.FIELD_LABEL);
      all.add(
          GroupKey.of(metric, Tags.of(labels)).field(field == null ? Series.DEFAULT_FIELD : field));
    }
    all.sort(Position.ORDER);
    return all;
  }

  /**
   * Returns the labels that select one series among those of its metric: its own, and an empty
   * value for each that it lacks.
   */
  static Map<String, String> only(Series one, List<Series> ofMetric) {
    Map<String, String> labels = new TreeMap<>();
    for (String name : names(ofMetric)) {
      labels.put(name, "");
    }
    labels.putAll(one.labels());
    labels.put(Series.NAME_LABEL, one.metric());
    return labels;
  }

  private static Set<String> names(List<Series> ofMetric) {
    Set<String> names = new TreeSet<>();
    ofMetric.forEach(series -> names.addAll(series.labels().keySet()));
    return names;
  }

  private List<Object> elements(String path, String match) throws IOException {
    String query =
        "?match%%5B%%5D=%s&start=%d.%03d&end=%d.%03d"
            .formatted(
                URLEncoder.encode(match, StandardCharsets.UTF_8),
                first() / 1000,
                first() % 1000,
                last() / 1000,
                last() % 1000);
    try (InputStream answer = connection.send(ServerRequest.get(path + query))) {
      Object body = JsonTree.parse(new String(answer.readAllBytes(), StandardCharsets.UTF_8));
      return JsonTree.list(JsonTree.member(body, "data"));
    }
  }
}
