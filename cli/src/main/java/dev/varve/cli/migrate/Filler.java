package dev.varve.cli.migrate;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.target.Target;
import dev.varve.cli.target.Target.Filled;
import dev.varve.model.Batch;
import dev.varve.model.ErrorKind;
import java.time.Duration;

/** Fills batches into a target at a bounded rate, and waits while the target is overloaded. */
final class Filler {
  private static final Duration PAUSE_MIN = Duration.ofMillis(100);
  private static final Duration PAUSE_MAX = Duration.ofSeconds(5);

  /** Time after which the migration fails if the target accepts nothing. */
  private static final Duration WAIT_MAX = Duration.ofMinutes(10);

  private final Target target;
  private final boolean dry;
  private final long nanosPerSample;
  private long free = System.nanoTime();

  /**
   * @param rate samples per second; 0 for no limit
   * @param dry whether to compare only
   */
  Filler(Target target, long rate, boolean dry) {
    this.target = target;
    this.dry = dry;
    this.nanosPerSample = rate == 0 ? 0 : 1_000_000_000L / rate;
  }

  /**
   * Fills a batch in. Lost samples, such as those of a delete, are written a second time.
   *
   * @throws CommandFailedException if the target accepts nothing for ten minutes
   */
  Filled fill(Batch batch) {
    await(free - System.nanoTime());
    free = Math.max(free, System.nanoTime()) + nanosPerSample * batch.sampleCount();
    Filled first = patiently(batch);
    if (dry || first.lost() <= 0) {
      return first;
    }
    Filled second = patiently(batch);
    return new Filled(
        first.accepted() + second.accepted(),
        second.refused(),
        second.dropped(),
        second.coerced(),
        second.lost(),
        second.reasons(),
        second.days());
  }

  private Filled patiently(Batch batch) {
    long start = System.nanoTime();
    Duration pause = PAUSE_MIN;
    while (true) {
      try {
        return target.fill(batch, dry);
      } catch (RuntimeException e) {
        if (ErrorKind.of(e) != ErrorKind.OVERLOADED) {
          throw e;
        }
        if (System.nanoTime() - start > WAIT_MAX.toNanos()) {
          throw new CommandFailedException(
              "the target took nothing for %d minutes: %s"
                  .formatted(WAIT_MAX.toMinutes(), e.getMessage()));
        }
      }
      await(pause.toNanos());
      pause = pause.multipliedBy(2).compareTo(PAUSE_MAX) < 0 ? pause.multipliedBy(2) : PAUSE_MAX;
    }
  }

  private static void await(long nanos) {
    if (nanos <= 0) {
      return;
    }
    try {
      Thread.sleep(Duration.ofNanos(nanos));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailedException("interrupted; the same command goes on from here");
    }
  }
}
