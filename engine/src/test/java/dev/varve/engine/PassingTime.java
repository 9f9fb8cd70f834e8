package dev.varve.engine;

import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** The clock of a story. */
public interface PassingTime {
  /** So far the clock leaps. */
  long MINUTES_MICROS = 90_000_000;

  /** Microseconds since 1970. */
  long micros();

  /** Lets some time pass between two operations, and returns whether that were minutes. */
  boolean pass(Random random);

  /** Lets some minutes pass. */
  void leap();

  /** The system's time, which passes by itself, and is ahead by the leaps so far. */
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

  /** Some milliseconds between two operations and now and then some minutes, without waiting. */
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
