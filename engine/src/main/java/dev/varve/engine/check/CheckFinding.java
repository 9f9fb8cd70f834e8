package dev.varve.engine.check;

import java.util.List;

/**
 * What a check has found.
 *
 * @param place {@code store NAME} or {@code dataset NAME}
 * @param text for the operator; names file or table and rows
 * @param affected series that have, or may have had, samples in the damaged place, the first 1,000
 * @param affectedSeries how many such series there are
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

  /** A finding that names no series. */
  public CheckFinding(Severity severity, String place, String text) {
    this(severity, place, text, List.of(), 0);
  }

  public enum Severity {
    /** Something cannot be read, or is not what was written. */
    DAMAGE,
    /** Something is unusual and may be all right. */
    NOTE
  }
}
