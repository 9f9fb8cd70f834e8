package dev.varve.layout.guardrail;

/** The numbers of the rules that do not come from a store. */
final class Thresholds {
  /** A family name travels with every cell on some stores. */
  static final int FAMILY_NAME_BYTES = 8;

  /** Rows are told of from this share of what a store suffers from. */
  static final int ROW_WARN_PERCENT = 50;

  /** The rule of thumb for a partition of Cassandra, in its own rows: our cells. */
  static final long PARTITION_CELLS = 100_000;

  /** Row key, family and qualifier against value, over many cells. */
  static final int OVERHEAD_RATIO = 8;

  static final long OVERHEAD_CELLS = 1_000;

  private Thresholds() {}
}
