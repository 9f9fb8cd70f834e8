package dev.varve.engine;

/**
 * How many fields there may be, the default one left aside. Fields that are stored already stay
 * readable and writable beyond the limits; only new ones are refused. Batches that are written at
 * the same time may exceed the limits together by the fields of one batch each.
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
