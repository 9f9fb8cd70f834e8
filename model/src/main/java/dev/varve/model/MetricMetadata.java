package dev.varve.model;

/**
 * What a sender says of a metric, for those who read it.
 *
 * @param metric its name, or that of the family whose metrics differ by suffix
 * @param type in Prometheus' words: {@code counter}, {@code gauge}, {@code histogram}, {@code
 *     gaugehistogram}, {@code summary}, {@code info}, {@code stateset} or {@code unknown}
 * @param unit empty where none is said
 * @param help empty where none is said
 */
public record MetricMetadata(String metric, String type, String unit, String help) {
  public static final String UNKNOWN = "unknown";
}
