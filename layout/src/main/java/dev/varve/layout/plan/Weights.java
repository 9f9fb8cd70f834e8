package dev.varve.layout.plan;

/**
 * The costs of reading and the limits of one plan. Costs are in units of rows, so that a layout has
 * the same plans on every store.
 */
final class Weights {
  /*
   * The ratios come from reading 100,000 values as 100,000 rows and as 200 rows of 500 cells: 20 to
   * 40 microseconds per row, about 1 microsecond per cell. A slice costs a seek: some tens of
   * microseconds in an LSM tree, which reads consecutive rows in a few, and a fraction of a round
   * trip elsewhere. Ten rows are a compromise. An error by a factor of three changes the choice
   * only between ways of about the same cost.
   */
  static final double ROW = 1;
  static final double CELL = 1.0 / 30;
  static final double SEEK = 10;

  /*
   * Assumptions if the catalog has no counts. Metrics of unknown size are assumed to be large, so
   * that queries of few series read only their rows.
   */
  static final double SERIES_OF_METRIC = 1_000;
  static final double METRICS = 100;
  static final double ROWS_OF_SERIES = 1_000;
  static final double CELLS_OF_ROW = 100;

  /**
   * On stores that spread partitions by hash, a plan gets a note beyond {@code PARTITIONS_SOFT} and
   * is refused beyond {@code PARTITIONS_HARD}. Bucketed layouts have one partition per series and
   * bucket: 300 series with daily buckets have nearly as many in a month.
   */
  static final long PARTITIONS_SOFT = 1_000;

  static final long PARTITIONS_HARD = 10_000;

  /** Maximum number of slices of a plan; they are held in memory, some hundred bytes each. */
  static final long SLICES_HARD = 1_000_000;

  /** Maximum number of buckets that a plan enumerates. */
  static final int BUCKETS_HARD = 100_000;

  /** Number of groups to look up in the census; the others are assumed to be similar. */
  static final int SAMPLED_GROUPS = 64;

  /** Number of bindings to look up in the census; the others are assumed to be similar. */
  static final int SAMPLED_BINDINGS = 256;

  private Weights() {}

  static double cost(double slices, double rows, double cells) {
    return SEEK * slices + ROW * rows + CELL * cells;
  }
}
