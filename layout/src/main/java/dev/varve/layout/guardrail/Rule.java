package dev.varve.layout.guardrail;

/**
 * The rules of the guardrails. Their identifiers are stable because {@code allow} in declarations
 * uses them.
 */
public enum Rule {
  TIME_LEADS_KEY("time-leads-key", When.DECLARATION, Severity.REFUSE, true, "1 part before it"),
  SINGLE_STREAM("single-stream", When.DECLARATION, Severity.REFUSE, true, "1 part of tags"),
  METRIC_BEFORE_TIME("metric-before-time", When.DECLARATION, Severity.WARN, true, "1 part of tags"),
  UNBOUNDED_ROW("unbounded-row", When.DECLARATION, Severity.REFUSE, true, "1 bound"),
  EVENT_VERSIONS("event-versions", When.DECLARATION, Severity.WARN, true, "all versions"),
  PACKED_OVERWRITES("packed-overwrites", When.DECLARATION, Severity.WARN, true, "2 versions"),
  VALUE_TIES("value-ties", When.DECLARATION, Severity.WARN, true, "1 order of acceptance"),
  SALT_OF_TIME("salt-of-time", When.DECLARATION, Severity.WARN, true, "0 instants"),
  SALT_POWER("salt-power", When.DECLARATION, Severity.WARN, true, "a power of 2"),
  FAMILY_NAME(
      "family-name",
      When.DECLARATION,
      Severity.WARN,
      true,
      Thresholds.FAMILY_NAME_BYTES + " bytes"),
  SHIFTED_EXPIRY("shifted-expiry", When.DECLARATION, Severity.WARN, true, "0 shifted families"),
  ALLOW_UNKNOWN("allow-unknown", When.DECLARATION, Severity.REFUSE, false, "0 unknown rules"),
  BUCKET_LABEL("bucket-label", When.DECLARATION, Severity.REFUSE, false, "1 year"),
  OFFSET_WIDTH("offset-width", When.DECLARATION, Severity.REFUSE, false, "the last offset"),
  SHIFT_OVERFLOW("shift-overflow", When.DECLARATION, Severity.REFUSE, false, "half of 64 bits"),
  SALT_COUNT("salt-count", When.DECLARATION, Severity.REFUSE, false, "2 to 65536"),

  FAMILY_COUNT("family-count", When.OPENING, Severity.WARN, true, "the store's"),
  CELL_TIME("cell-time", When.OPENING, Severity.REFUSE, false, "1 unit of the table"),
  CELL_TIME_RANGE("cell-time-range", When.OPENING, Severity.WARN, true, "the store's"),
  DELETE_MASKS("delete-masks", When.OPENING, Severity.WARN, true, "0 such families"),
  ROW_KEY_LIMIT("row-key-limit", When.OPENING, Severity.WARN, true, "the store's"),
  UNBOUNDED_PARTITION("unbounded-partition", When.OPENING, Severity.WARN, true, "1 bound"),

  ROW_BYTES(
      "row-bytes",
      When.WRITING,
      Severity.WARN,
      true,
      Thresholds.ROW_WARN_PERCENT + " % of the store's soft limit"),
  ROW_BYTES_HARD("row-bytes-hard", When.WRITING, Severity.REFUSE, false, "the store's hard limit"),
  ROW_CELLS(
      "row-cells",
      When.WRITING,
      Severity.WARN,
      true,
      Thresholds.PARTITION_CELLS + " cells on hash-partitioned stores"),
  VALUE_BYTES("value-bytes", When.WRITING, Severity.WARN, true, "the store's soft limit"),
  VALUE_BYTES_HARD(
      "value-bytes-hard", When.WRITING, Severity.REFUSE, false, "the store's hard limit"),
  KEY_OVERHEAD(
      "key-overhead",
      When.WRITING,
      Severity.WARN,
      true,
      Thresholds.OVERHEAD_RATIO
          + " bytes of coordinates a byte of value, after "
          + Thresholds.OVERHEAD_CELLS
          + " cells");

  private final String id;
  private final When when;
  private final Severity severity;
  private final boolean overruled;
  private final String threshold;

  Rule(String id, When when, Severity severity, boolean overruled, String threshold) {
    this.id = id;
    this.when = when;
    this.severity = severity;
    this.overruled = overruled;
    this.threshold = threshold;
  }

  /** The stage at which a rule is checked. */
  public enum When {
    DECLARATION,
    OPENING,
    WRITING
  }

  /** The consequence of a finding. */
  public enum Severity {
    /** Continue and report the finding. */
    WARN,
    /** Fail. */
    REFUSE
  }

  public String id() {
    return id;
  }

  public When when() {
    return when;
  }

  public Severity severity() {
    return severity;
  }

  /** Returns whether a declaration can overrule the rule with {@code allow}. */
  public boolean overruled() {
    return overruled;
  }

  /** Returns the first or last acceptable value, in words. */
  public String threshold() {
    return threshold;
  }
}
