package dev.varve.layout;

import java.util.List;

/**
 * A cell, read part by part for people.
 *
 * @param summary the cell in the readable form of the layout's own documentation
 */
public record CellDescription(String summary, List<Part> parts) {
  /**
   * A stretch of bytes of one coordinate.
   *
   * @param coordinate {@code row}, {@code family}, {@code qualifier}, {@code time} or {@code value}
   * @param label what part of the point it carries
   * @param text what it says
   * @param from the first byte within the coordinate
   * @param to the byte behind the last
   */
  public record Part(String coordinate, String label, String text, int from, int to) {}
}
