package dev.varve.engine.check;

import java.util.List;

/**
 * A finding of a check.
 *
 * @param place {@code store NAME} or {@code dataset NAME}
 * @param text description for operators; names the file, or the table and rows
 * @param affected series that have or may have had samples in the damaged place, at most 1,000
 * @param affectedSeries total number of such series
 */
public record CheckFinding(
    Severity severity,
    String place,
    String text,
    List<AffectedSeries> affected,
    long affectedSeries) {
  public CheckFinding {
    affected = List.copyOf(affected);
  }

  /** Creates a finding without affected series. */
  public CheckFinding(Severity severity, String place, String text) {
    this(severity, place, text, List.of(), 0);
  }

  public enum Severity {
    /** Data cannot be read, or differs from the data that was written. */
    DAMAGE,
    /** Something is unusual but may be harmless. */
    NOTE
  }
}
