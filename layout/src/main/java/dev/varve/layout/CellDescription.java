package dev.varve.layout;

import java.util.List;

/**
 * A human-readable breakdown of a cell.
 *
 * @param summary the cell in the notation of the layout's documentation
 */
public record CellDescription(String summary, List<Part> parts) {
  /**
   * A range of bytes within one coordinate.
   *
   * @param coordinate {@code row}, {@code family}, {@code qualifier}, {@code time} or {@code value}
   * @param label what the bytes represent
   * @param text the decoded content
   * @param from index of the first byte within the coordinate
   * @param to index after the last byte
   */
  public record Part(String coordinate, String label, String text, int from, int to) {}
}
