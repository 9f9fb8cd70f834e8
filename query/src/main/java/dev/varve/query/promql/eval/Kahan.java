package dev.varve.query.promql.eval;

/** A compensated sum (Kahan 1965, Neumaier 1974), as in Prometheus. */
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

  /** Returns the compensated sum, even if the sum has overflowed. */
  double all() {
    return sum + lost;
  }

  /** Returns the compensated sum; an infinity if the sum has overflowed. */
  double total() {
    return Double.isInfinite(sum) ? sum : sum + lost;
  }
}
