package dev.varve.query.promql.eval;

/** A mean: a sum divided by a count until the sum overflows, a running mean from then on. */
final class Mean {
  private double sum;
  private double lost;
  private double mean;
  private double count;
  private boolean moving;

  void clear() {
    sum = 0;
    lost = 0;
    mean = 0;
    count = 0;
    moving = false;
  }

  void add(double value) {
    count++;
    if (!moving) {
      double total = sum + value;
      if (count == 1) {
        sum = value;
        return;
      }
      if (!Double.isInfinite(total)) {
        lost = lost(sum, value, total, lost);
        sum = total;
        return;
      }
      moving = true;
      mean = sum / (count - 1);
      lost /= count - 1;
    }
    double share = (count - 1) / count;
    double before = share * mean;
    double step = value / count;
    double next = before + step;
    lost = lost(before, step, next, share * lost);
    mean = next;
  }

  private static double lost(double sum, double value, double total, double lost) {
    if (Double.isInfinite(total)) {
      return 0;
    }
    return Math.abs(sum) >= Math.abs(value)
        ? lost + (sum - total + value)
        : lost + (value - total + sum);
  }

  double value() {
    return moving ? mean + lost : sum / count + lost / count;
  }
}
