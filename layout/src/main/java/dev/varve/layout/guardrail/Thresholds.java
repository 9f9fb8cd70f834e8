package dev.varve.layout.guardrail;

/** The thresholds that do not depend on the store. */
final class Thresholds {
  /** Maximum length of a family name, which some stores keep with every cell. */
  static final int FAMILY_NAME_BYTES = 8;

  /** Rows are reported from this percentage of the store's soft limit. */
  static final int ROW_WARN_PERCENT = 50;

  /** The rule of thumb for partitions of Cassandra, in its rows, which are cells here. */
  static final long PARTITION_CELLS = 100_000;

  /**
   * Maximum ratio of bytes in row keys, families and qualifiers to bytes in values, over many
   * cells.
   */
  static final int OVERHEAD_RATIO = 8;

  static final long OVERHEAD_CELLS = 1_000;

  private Thresholds() {}
}
