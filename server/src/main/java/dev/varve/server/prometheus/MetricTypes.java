package dev.varve.server.prometheus;

import dev.varve.model.MetricMetadata;
import java.util.List;

/** The types of metrics in remote write, the same in both versions. */
final class MetricTypes {
  /** Names by number. */
  private static final List<String> NAMES =
      List.of(
          MetricMetadata.UNKNOWN,
          "counter",
          "gauge",
          "histogram",
          "gaugehistogram",
          "summary",
          "info",
          "stateset");

  /** Suffixes that the series of a histogram or summary add to the name of their family. */
  private static final List<String> SUFFIXES = List.of("_bucket", "_count", "_sum");

  private MetricTypes() {}

  /** Returns the name of a type; {@link MetricMetadata#UNKNOWN} if the number is unknown. */
  static String name(long number) {
    return number < 0 || number >= NAMES.size() ? MetricMetadata.UNKNOWN : NAMES.get((int) number);
  }

  /** Returns the family of a metric: its name without the suffix that its type adds. */
  static String family(String metric, String type) {
    if (type.equals("histogram") || type.equals("summary")) {
      for (String suffix : SUFFIXES) {
        if (metric.endsWith(suffix) && metric.length() > suffix.length()) {
          return metric.substring(0, metric.length() - suffix.length());
        }
      }
    }
    return metric;
  }
}
