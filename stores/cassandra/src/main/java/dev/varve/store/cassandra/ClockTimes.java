package dev.varve.store.cassandra;

import dev.varve.model.Resolution;

/**
 * Write times of families whose cell times are the clock of acceptance: the cell time itself, in
 * microseconds. Readers thus see the later of two cells, whatever the order and number of their
 * arrivals and whatever the clocks of this process and of the nodes say.
 */
final class ClockTimes implements WriteTimes {
  private final Resolution unit;

  ClockTimes(Resolution unit) {
    this.unit = unit;
  }

  @Override
  public long ofPut(long cellTime) {
    try {
      long micros = unit.convert(cellTime, Resolution.MICROSECONDS);
      if (micros > Long.MIN_VALUE + 1) {
        return micros;
      }
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(outOfRange(cellTime), e);
    }
    throw new IllegalArgumentException(outOfRange(cellTime));
  }

  private String outOfRange(long cellTime) {
    return "cell time %d %s does not fit into 64 bits in microseconds"
        .formatted(cellTime, unit.symbol());
  }

  /**
   * Returns a time just before the first put. A mutation without puts in the family deletes each
   * cell with the write time that it finds.
   */
  @Override
  public long ofDelete(long firstPut) {
    return firstPut == Long.MAX_VALUE ? Long.MAX_VALUE : ofPut(firstPut) - 1;
  }
}
