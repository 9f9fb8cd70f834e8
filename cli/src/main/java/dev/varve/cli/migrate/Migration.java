package dev.varve.cli.migrate;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.Progress;
import dev.varve.cli.target.Target.Filled;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * One run of a migration, from its checkpoint to its end. One batch is filled in while the next one
 * is read. Used once, by one thread.
 */
final class Migration implements AutoCloseable {
  /** Samples from which a batch ends with a day, so that most days are compared as a whole. */
  private static final int BATCH = 8_192;

  /** Samples that a batch has at most; a server takes as many at once. */
  private static final int BATCH_MAX = 16_384;

  private static final long SECONDS_PER_DAY = 86_400;

  private final MigrationSource source;
  private final Filler filler;
  private final Path state;
  private final Report report;
  private final Mapping mapping;
  private final Progress progress;
  private final long perDay;
  private final BatchBuilder batch = new BatchBuilder();
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final @Nullable Position start;
  private Checkpoint checkpoint;

  /** The last sample that was read; null before the first. */
  private @Nullable Series series;

  private long time;
  private long samples;
  private @Nullable UnderWay underWay;

  /** A batch that is being filled in, and what becomes true then. */
  private record UnderWay(
      Future<Filled> filled, long samples, long unfitCount, List<String> unfit, Position at) {}

  /**
   * Prepares to go on from a checkpoint.
   *
   * @param state the file of the checkpoint
   */
  Migration(
      MigrationSource source,
      Mapping mapping,
      Filler filler,
      Checkpoint checkpoint,
      Path state,
      Report report,
      Progress progress) {
    this.source = source;
    this.filler = filler;
    this.checkpoint = checkpoint;
    this.start = checkpoint.at();
    this.state = state;
    this.report = report;
    this.progress = progress;
    this.mapping = mapping;
    this.perDay = SECONDS_PER_DAY * source.resolution().perSecond();
  }

  /** Copies what is left, deletes the checkpoint and returns the counts. */
  Totals run() throws IOException {
    for (String metric : source.metrics()) {
      Series from = start == null ? null : start.series();
      if (from == null || metric.compareTo(from.metric()) >= 0) {
        source.read(metric, from, this::take);
      }
    }
    // The last batch, and then its end.
    flush();
    flush();
    Files.deleteIfExists(state);
    return checkpoint.totals();
  }

  private void take(Series of, Samples some, int from, int to) throws IOException {
    for (int i = from; i < to; i++) {
      long at = some.time(i);
      if (start != null && start.isAtOrAfter(of, at)) {
        continue;
      }
      if (samples >= BATCH_MAX || (samples >= BATCH && isNewDay(of, at))) {
        flush();
      }
      mapping.add(of, some, i, batch);
      series = of;
      time = at;
      samples++;
    }
  }

  private boolean isNewDay(Series of, long at) {
    return Math.floorDiv(at, perDay) != Math.floorDiv(time, perDay) || !of.equals(series);
  }

  /**
   * Starts to fill the batch in once the one before it is written. The checkpoint of that one is
   * written meanwhile. After a kill, the next run finds in the target what follows the checkpoint.
   */
  private void flush() throws IOException {
    UnderWay before = underWay;
    Filled filled = before == null ? null : filled(before.filled());
    Series last = series;
    underWay = null;
    if (samples > 0 && last != null) {
      Batch full = batch.build();
      long unfit = mapping.unfitCount();
      underWay =
          new UnderWay(
              thread.submit(() -> filler.fill(full)),
              samples,
              unfit,
              mapping.takeUnfit(),
              new Position(last, time));
      samples = 0;
    }
    if (before != null && filled != null) {
      record(before, filled);
    }
  }

  /** Makes a batch that is filled in the checkpoint. */
  private void record(UnderWay ended, Filled filled) throws IOException {
    report.add(ended.unfit(), filled);
    checkpoint =
        new Checkpoint(
            checkpoint.migration(),
            ended.at(),
            checkpoint.totals().plus(ended.samples(), ended.unfitCount(), filled),
            report.length());
    checkpoint.write(state);
    progress.update(checkpoint.totals().read(), 0, ended.at().series().metric());
  }

  private static Filled filled(Future<Filled> future) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailedException("interrupted; the same command goes on from here");
    }
  }

  @Override
  public void close() {
    thread.close();
  }
}
