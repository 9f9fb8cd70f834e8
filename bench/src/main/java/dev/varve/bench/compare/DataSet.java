package dev.varve.bench.compare;

import java.util.List;

/** Samples that are the same in every run. */
interface DataSet {
  /** Parts that two connections send at the same time; series belong to one of them. */
  int STREAMS = 2;

  /** Midnight of 2 June 2025, UTC, in ms since 1970. */
  long START = 1_748_822_400_000L;

  long SECOND = 1_000;
  long MINUTE = 60 * SECOND;
  long HOUR = 60 * MINUTE;

  /** Receives rows in the order in which they are sent. */
  interface Rows {
    /**
     * Receives a row.
     *
     * @param entity index in {@link #entities}
     * @param time ms since 1970
     * @param values by field; changes after the call
     */
    void row(int entity, long time, double[] values);
  }

  String name();

  List<Entity> entities();

  /**
   * Returns the end of the time range, exclusive, in ms since 1970; it starts at {@link #START}.
   */
  long end();

  /** Passes on the rows of a stream. Every call makes the same rows. */
  void stream(int stream, Rows rows);

  default long series() {
    return entities().stream().mapToLong(entity -> entity.fields().size()).sum();
  }

  /**
   * Makes a data set.
   *
   * @param scale part of the full number of hosts, instances, pods or meters, up to 1
   */
  static DataSet named(String name, double scale) {
    return switch (name) {
      case "tsbs" -> new TsbsSeries("tsbs", scale, false);
      case "late" -> new TsbsSeries("late", scale, true);
      case "mixed" -> new MixedSeries(scale);
      case "churn" -> new ChurnSeries(scale);
      case "sparse" -> new SparseSeries(scale);
      default ->
          throw new IllegalArgumentException(
              "data set '%s' is not one of tsbs, mixed, churn, sparse, late".formatted(name));
    };
  }

  /** Returns a share of a full number, at least one for each stream. */
  static int scaled(int full, double scale) {
    return Math.max(STREAMS, (int) Math.round(full * scale));
  }
}
