package dev.varve.server.opentsdb.query;

/**
 * The options of a rate.
 *
 * @param counter whether a decrease is an overflow of a counter
 * @param counterMax the value after which the counter overflows
 * @param resetValue a rate above this is a reset, whose rate is 0; 0 or less for none
 * @param dropResets whether a decrease yields no point instead
 */
public record RateOptions(boolean counter, long counterMax, long resetValue, boolean dropResets) {
  static final RateOptions DEFAULTS = new RateOptions(false, Long.MAX_VALUE, 0, false);

  @Override
  public String toString() {
    return "{%s,%d,%d}".formatted(counter, counterMax, resetValue);
  }
}
