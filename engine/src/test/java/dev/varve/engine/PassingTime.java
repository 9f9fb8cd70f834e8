package dev.varve.engine;

import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** The clock of a story. */
public interface PassingTime {
  /** Length of a leap of the clock, in microseconds. */
  long MINUTES_MICROS = 90_000_000;

  /** Returns the time in microseconds since 1970. */
  long micros();

  /** Advances the clock between two operations and returns whether it leapt. */
  boolean pass(Random random);

  /** Advances the clock by a leap. */
  void leap();

  /** Returns a clock that runs with the system time, ahead by the leaps so far. */
  static PassingTime ofSystem() {
    AtomicLong ahead = new AtomicLong();
    return new PassingTime() {
      @Override
      public long micros() {
        return System.currentTimeMillis() * 1000 + ahead.get();
      }

      @Override
      public boolean pass(Random random) {
        return false;
      }

      @Override
      public void leap() {
        ahead.addAndGet(MINUTES_MICROS);
      }
    };
  }

  /**
   * Returns a clock that advances some milliseconds between operations, and occasionally leaps,
   * without waiting.
   */
  static PassingTime inLeaps() {
    AtomicLong micros = new AtomicLong(TestEngine.START_MICROS);
    return new PassingTime() {
      @Override
      public long micros() {
        return micros.get();
      }

      @Override
      public boolean pass(Random random) {
        boolean leaps = random.nextInt(100) == 0;
        if (leaps) {
          leap();
        } else {
          micros.addAndGet(1 + random.nextInt(20_000));
        }
        return leaps;
      }

      @Override
      public void leap() {
        micros.addAndGet(MINUTES_MICROS);
      }
    };
  }
}
