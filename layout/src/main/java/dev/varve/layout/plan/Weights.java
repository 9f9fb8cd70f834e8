package dev.varve.layout.plan;

/**
 * What reading costs, and how much of it one plan may ask for. Costs are in rows, so that the plan
 * of a layout reads the same on every store.
 */
final class Weights {
  /*
   * The ratios are those of 100,000 values read once as 100,000 rows and once as 200 rows of 500
   * cells: 20 to 40 microseconds a row against about 1 a cell. A slice of its own costs a seek: some
   * tens of microseconds in an LSM tree whose rows follow one another at a few, a share of a round
   * trip elsewhere. Ten rows lie between. Being wrong by a factor of three moves the choice only
   * where both ways cost about the same.
   */
  static final double ROW = 1;
  static final double CELL = 1.0 / 30;
  static final double SEEK = 10;

  /*
   * What is taken for granted where the catalog has no count. A metric of unknown size is taken for
   * large, so that a query of few series reads their rows and no others.
   */
  static final double SERIES_OF_METRIC = 1_000;
  static final double METRICS = 100;
  static final double ROWS_OF_SERIES = 1_000;
  static final double CELLS_OF_ROW = 100;

  /**
   * Where a store spreads partitions by hash, a plan is told so beyond so many, and refused beyond
   * so many. A bucketed layout has a partition for each series and bucket: 300 series of a month of
   * days are nearly as many.
   */
  static final long PARTITIONS_SOFT = 1_000;

  static final long PARTITIONS_HARD = 10_000;

  /** Slices are held in memory, some hundred bytes each. */
  static final long SLICES_HARD = 1_000_000;

  /** Buckets that are listed one by one. */
  static final int BUCKETS_HARD = 100_000;

  /** Of how many groups the census is asked; the others are taken to be like them. */
  static final int SAMPLED_GROUPS = 64;

  /** Of how many bindings the census is asked; the others are taken to be like them. */
  static final int SAMPLED_BINDINGS = 256;

  private Weights() {}

  static double cost(double slices, double rows, double cells) {
    return SEEK * slices + ROW * rows + CELL * cells;
  }
}
