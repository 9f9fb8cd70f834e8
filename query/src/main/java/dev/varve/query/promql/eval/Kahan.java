package dev.varve.query.promql.eval;

/**
 * A sum that carries along what additions round away (Kahan 1965, Neumaier 1974), as Prometheus
 * does it.
 */
final class Kahan {
  private double sum;
  private double lost;

  void clear() {
    sum = 0;
    lost = 0;
  }

  void add(double value) {
    double total = sum + value;
    if (Double.isInfinite(total)) {
      lost = 0;
    } else if (Math.abs(sum) >= Math.abs(value)) {
      lost += sum - total + value;
    } else {
      lost += value - total + sum;
    }
    sum = total;
  }

  /** The sum with what was rounded away, whatever it is. */
  double all() {
    return sum + lost;
  }

  /** The sum with what was rounded away, unless it has overflown. */
  double total() {
    return Double.isInfinite(sum) ? sum : sum + lost;
  }
}
