package dev.varve.cli.migrate;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import java.io.IOException;

/**
 * Passes on the samples of one series that lie in a range, one for each instant, and checks that
 * they are in order.
 */
final class InOrder {
  private final Series series;
  private final long first;
  private final long last;
  private final MigrationSource.Receiver receiver;
  private long before = Long.MIN_VALUE;

  /**
   * @param first time of the range
   * @param last time of the range, inclusive
   */
  InOrder(Series series, long first, long last, MigrationSource.Receiver receiver) {
    this.series = series;
    this.first = first;
    this.last = last;
    this.receiver = receiver;
  }

  /**
   * Passes samples on.
   *
   * @throws CommandFailedException if one is earlier than one that came before
   */
  void accept(Samples samples) throws IOException {
    accept(samples, 0, samples.size());
  }

  /**
   * Passes the samples of a range of indexes on. Of several at one instant, the last of the range
   * is passed on, and none if one was before.
   *
   * @throws CommandFailedException if one is earlier than one that came before
   */
  void accept(Samples samples, int start, int end) throws IOException {
    int from = start;
    for (int i = start; i < end; i++) {
      long time = samples.time(i);
      if (time < before) {
        throw new CommandFailedException(
            "the source sends %s at %d after %d: a migration needs the order of time"
                .formatted(series, time, before));
      }
      boolean isReplaced = time == before || (i + 1 < end && samples.time(i + 1) == time);
      if (time < first || time > last || isReplaced) {
        pass(samples, from, i);
        from = i + 1;
      } else {
        before = time;
      }
    }
    pass(samples, from, end);
  }

  private void pass(Samples samples, int from, int end) throws IOException {
    if (end > from) {
      receiver.accept(series, samples, from, end);
    }
  }
}
