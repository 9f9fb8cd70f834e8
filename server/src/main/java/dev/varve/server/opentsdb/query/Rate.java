package dev.varve.server.opentsdb.query;

/**
 * Turns points into their change per second, at the time of the later point.
 *
 * <p>The first point is compared with zero at the time zero, as in OpenTSDB; {@link GroupMerge}
 * shows that rate to nobody but uses it as the value before the second one.
 */
final class Rate implements PointSink {
  private final RateOptions options;
  private final PointSink next;
  private long time;
  private boolean wasReal;
  private long whole;
  private double real;

  Rate(RateOptions options, PointSink next) {
    this.options = options;
    this.next = next;
  }

  @Override
  public void whole(long at, long value) {
    double before = wasReal ? real : whole;
    double change = wasReal ? value - before : value - whole;
    double overflow = wasReal ? options.counterMax() - before + value : overflow(value);
    pass(at, change, overflow);
    wasReal = false;
    whole = value;
    time = at;
  }

  private long overflow(long value) {
    return options.counterMax() - whole + value;
  }

  @Override
  public void real(long at, double value) {
    double before = wasReal ? real : whole;
    pass(at, value - before, options.counterMax() - before + value);
    wasReal = true;
    real = value;
    time = at;
  }

  private void pass(long at, double change, double overflow) {
    double seconds = (at - time) / 1000.0;
    if (!options.counter() || !(change < 0)) {
      next.real(at, change / seconds);
      return;
    }
    if (options.dropResets()) {
      return;
    }
    double rate = overflow / seconds;
    next.real(at, options.resetValue() > 0 && rate > options.resetValue() ? 0 : rate);
  }

  @Override
  public void end() {
    next.end();
  }
}
