package dev.varve.store.cassandra;

import dev.varve.model.Resolution;

/**
 * Write times of families whose cell times are the clock of acceptance: the time of the cell
 * itself, in microseconds. So the later of two cells is seen in whatever order they arrive, however
 * often, and whatever the clocks of this process and of the nodes say.
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
    return "cell time %d %s of a clock, which does not fit into 64 bits in microseconds"
        .formatted(cellTime, unit.symbol());
  }

  /** Before the first put; deletes that put nothing are of the write times that they find. */
  @Override
  public long ofDelete(long firstPut) {
    return firstPut == Long.MAX_VALUE ? Long.MAX_VALUE : ofPut(firstPut) - 1;
  }
}
