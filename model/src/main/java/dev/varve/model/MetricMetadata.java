package dev.varve.model;

/**
 * Descriptive metadata of a metric, as reported by a sender and shown to users.
 *
 * @param metric the metric's name, or the family's name if its metrics differ only by suffix
 * @param type a Prometheus type: {@code counter}, {@code gauge}, {@code histogram}, {@code
 *     gaugehistogram}, {@code summary}, {@code info}, {@code stateset} or {@code unknown}
 * @param unit empty if unknown
 * @param help empty if unknown
 */
public record MetricMetadata(String metric, String type, String unit, String help) {
  public static final String UNKNOWN = "unknown";
}
