package dev.varve.server.operations;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Exports the figures of the engine, given as {@code name{label="value"}}: counters if the name
 * ends in {@code _total}, otherwise gauges.
 */
final class EngineFigures implements MultiCollector {
  private static final String COUNTER = "_total";

  private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"([^\"]*)\"");

  private final Supplier<Map<String, Double>> figures;

  EngineFigures(Supplier<Map<String, Double>> figures) {
    this.figures = figures;
  }

  private record Point(Labels labels, double value) {}

  @Override
  public MetricSnapshots collect() {
    Map<String, List<Point>> byName = new LinkedHashMap<>();
    figures
        .get()
        .forEach((figure, value) -> {
          int brace = figure.indexOf('{');
          String name = "varve_" + (brace < 0 ? figure : figure.substring(0, brace));
          Labels labels = brace < 0 ? Labels.EMPTY : labels(figure.substring(brace));
          byName.computeIfAbsent(name, n -> new ArrayList<>()).add(new Point(labels, value));
        });
    MetricSnapshots.Builder all = MetricSnapshots.builder();
    byName.forEach((name, points) -> all.metricSnapshot(snapshot(name, points)));
    return all.build();
  }

  private static MetricSnapshot snapshot(String name, List<Point> points) {
    if (name.endsWith(COUNTER)) {
      String plain = name.substring(0, name.length() - COUNTER.length());
      CounterSnapshot.Builder counter = CounterSnapshot.builder().name(plain);
      for (Point point : points) {
        counter.dataPoint(
            CounterDataPointSnapshot.builder().labels(point.labels).value(point.value).build());
      }
      return counter.build();
    }
    GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name);
    for (Point point : points) {
      gauge.dataPoint(
          GaugeDataPointSnapshot.builder().labels(point.labels).value(point.value).build());
    }
    return gauge.build();
  }

  private static Labels labels(String text) {
    List<String> pairs = new ArrayList<>();
    Matcher matcher = LABEL.matcher(text);
    while (matcher.find()) {
      pairs.add(matcher.group(1));
      pairs.add(matcher.group(2));
    }
    return Labels.of(pairs.toArray(String[]::new));
  }
}
