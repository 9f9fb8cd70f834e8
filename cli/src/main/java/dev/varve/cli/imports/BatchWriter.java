package dev.varve.cli.imports;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.target.Target;
import dev.varve.model.Batch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Writes batches in order, one at a time, while the next one is read. */
final class BatchWriter implements AutoCloseable {
  private final Target target;
  private final Tally tally;
  private final BadLines badLines;
  private final Path file;
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private @Nullable Future<Target.Written> underWay;

  BatchWriter(Target target, Tally tally, BadLines badLines, Path file) {
    this.target = target;
    this.tally = tally;
    this.badLines = badLines;
    this.file = file;
  }

  void write(Batch batch) throws IOException {
    finish();
    if (batch.sampleCount() > 0) {
      underWay = thread.submit(() -> target.write(batch, false));
    }
  }

  void finish() throws IOException {
    if (underWay == null) {
      return;
    }
    try {
      Target.Written written = underWay.get();
      tally.accepted += written.accepted();
      tally.refused += written.refused();
      tally.coerced += written.coerced();
      for (String reason : written.reasons()) {
        badLines.refused(file, reason);
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailedException("interrupted; the same file may be imported again");
    } finally {
      underWay = null;
    }
  }

  @Override
  public void close() {
    thread.close();
  }
}
