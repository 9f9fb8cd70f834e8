package dev.varve.engine.config;

/**
 * Limits of the number of fields, not counting the default field. Only new fields are refused:
 * existing fields remain readable and writable beyond the limits. Concurrent batches may each
 * exceed the limits by the fields of one batch.
 *
 * @param series fields of one series key, at least 1
 * @param metric distinct fields of all series keys of one metric, at least 1
 */
public record FieldLimits(int series, int metric) {
  public static final FieldLimits DEFAULTS = new FieldLimits(2_000, 10_000);

  public FieldLimits {
    if (series < 1 || metric < 1) {
      throw new IllegalArgumentException(series + " and " + metric + " fields, at least 1 of each");
    }
  }
}
