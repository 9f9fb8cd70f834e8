package dev.varve.server.operations;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The figures of the engine, which come as {@code name{label="value"}}, as gauges. */
final class EngineFigures implements MultiCollector {
  private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"([^\"]*)\"");

  private final Supplier<Map<String, Double>> figures;

  EngineFigures(Supplier<Map<String, Double>> figures) {
    this.figures = figures;
  }

  @Override
  public MetricSnapshots collect() {
    Map<String, List<GaugeDataPointSnapshot>> byName = new LinkedHashMap<>();
    figures
        .get()
        .forEach((figure, value) -> {
          int brace = figure.indexOf('{');
          String name = "varve_" + (brace < 0 ? figure : figure.substring(0, brace));
          byName
              .computeIfAbsent(name, n -> new ArrayList<>())
              .add(
                  GaugeDataPointSnapshot.builder()
                      .labels(brace < 0 ? Labels.EMPTY : labels(figure.substring(brace)))
                      .value(value)
                      .build());
        });
    MetricSnapshots.Builder all = MetricSnapshots.builder();
    byName.forEach((name, points) -> {
      GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name);
      points.forEach(gauge::dataPoint);
      all.metricSnapshot(gauge.build());
    });
    return all.build();
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
