package dev.varve.cli.migrate;

import dev.varve.cli.io.JsonTree;
import dev.varve.cli.target.ServerConnection;
import dev.varve.cli.target.ServerRequest;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
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
  /**
   * The range if the selection has none: from 1970 to 2099. Without a range, some servers list only
   * the latest series.
   */
  private static final TimeRange WORLD = TimeRange.closed(0, 4_102_444_799_999L);

  private final ServerConnection connection;
  private final Selection selection;
  private final TimeRange times;

  PrometheusListing(ServerConnection connection, Selection selection) {
    this.connection = connection;
    this.selection = selection;
    TimeRange selected = selection.range(Resolution.MILLISECONDS);
    long from = selection.from() == null ? Math.min(WORLD.from(), selected.to()) : selected.from();
    this.times =
        new TimeRange(from, selection.to() == null ? Math.max(WORLD.to(), from) : selected.to());
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
        "?match%%5B%%5D=%s&start=%s&end=%s"
            .formatted(
                URLEncoder.encode(match, StandardCharsets.UTF_8),
                // To VictoriaMetrics, 0 means five minutes ago.
                seconds(first() == 0 ? 1 : first()),
                seconds(last()));
    try (InputStream answer = connection.send(ServerRequest.get(path + query))) {
      Object body = JsonTree.parse(new String(answer.readAllBytes(), StandardCharsets.UTF_8));
      return JsonTree.list(JsonTree.member(body, "data"));
    }
  }

  private static String seconds(long millis) {
    return BigDecimal.valueOf(millis, 3).toPlainString();
  }
}
