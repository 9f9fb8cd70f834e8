package dev.varve.server.heroic.aggregation;

import dev.varve.server.heroic.aggregation.Values.Points;

/** The area between a line and zero; what is below zero counts as negative. */
final class Area {
  private Area() {}

  static double under(Points points) {
    double area = 0;
    for (int i = 1; i < points.size(); i++) {
      area +=
          between(
              (double) points.times()[i - 1],
              points.values()[i - 1],
              (double) points.times()[i],
              points.values()[i]);
    }
    return area;
  }

  private static double between(double x1, double y1, double x2, double y2) {
    boolean crosses = (y1 < 0 && y2 > 0) || (y1 > 0 && y2 < 0);
    if (!crosses) {
      // As in Heroic, the first point gives the sign, also if it is zero.
      return Math.copySign((x2 - x1) * (Math.abs(y1) + Math.abs(y2)) / 2, y1);
    }
    double zero = x1 - y1 * (x2 - x1) / (y2 - y1);
    return (zero - x1) * y1 / 2 + (x2 - zero) * y2 / 2;
  }
}
