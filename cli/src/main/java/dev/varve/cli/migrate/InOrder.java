package dev.varve.cli.migrate;

import dev.varve.cli.CommandFailedException;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import java.io.IOException;

/** Passes on the samples of one series that lie in a range, and checks that they are in order. */
final class InOrder {
  private final Series series;
  private final long first;
  private final long last;
  private final MigrationSource.Receiver to;
  private long before = Long.MIN_VALUE;

  /**
   * @param first time of the range
   * @param last time of the range, inclusive
   */
  InOrder(Series series, long first, long last, MigrationSource.Receiver to) {
    this.series = series;
    this.first = first;
    this.last = last;
    this.to = to;
  }

  /**
   * Passes samples on.
   *
   * @throws CommandFailedException if one is earlier than one that came before
   */
  void accept(Samples samples) throws IOException {
    int from = 0;
    while (from < samples.size() && samples.time(from) < first) {
      from++;
    }
    int end = from;
    while (end < samples.size() && samples.time(end) <= last) {
      if (samples.time(end) < before) {
        throw new CommandFailedException(
            "the source sends %s at %d after %d: a migration needs the order of time"
                .formatted(series, samples.time(end), before));
      }
      before = samples.time(end);
      end++;
    }
    if (end > from) {
      to.accept(series, samples, from, end);
    }
  }
}
