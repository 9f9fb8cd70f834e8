package dev.varve.server.feed;

import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.OverBudgetException;
import dev.varve.server.http.RateLimitedLog;
import dev.varve.server.http.Sender;
import dev.varve.server.http.SenderRefusedException;
import dev.varve.server.http.WriteBudget.Reservation;
import dev.varve.server.ingest.Intake;
import java.io.IOException;
import java.time.Duration;

/**
 * Writes the samples of a connection into the dataset of its listener. If the engine is overloaded
 * it waits, and so does the sender; samples that are lost after the wait are counted. Not
 * thread-safe.
 */
public final class FeedWriter {
  /** Time after which a batch is dropped if the engine keeps rejecting it. */
  static final Duration RETRY_MAX = Duration.ofSeconds(30);

  private final DialectContext context;
  private final Sender sender;
  private final String protocol;
  private final RateLimitedLog log;
  private final Reservation memory;
  private final BatchBuilder batch;
  private int read;
  private int bad;
  private String firstBad = "";

  /**
   * Creates the writer of a connection.
   *
   * @param sender the sender of the connection
   * @param protocol name under which samples and lines are counted
   * @param memory reservation for the columns of batches until they are written
   */
  public FeedWriter(
      DialectContext context,
      Sender sender,
      String protocol,
      RateLimitedLog log,
      Reservation memory) {
    this.context = context;
    this.sender = sender;
    this.protocol = protocol;
    this.log = log;
    this.memory = memory;
    this.batch = new BatchBuilder(memory::hold);
  }

  /** Returns the batch to fill; times are in the resolution of the dataset. */
  public BatchBuilder batch() {
    return batch;
  }

  /** Returns whether the batch is worth writing. */
  public boolean isFull() {
    return batch.sampleCount() >= Intake.BATCH || batch.byteCount() >= memory.most() / 16;
  }

  /** Records a valid line, or the unit of another protocol that corresponds to a line. */
  public void good() {
    read++;
  }

  /** Records an invalid line. */
  public void bad(String reason) {
    if (bad++ == 0) {
      firstBad = reason;
    }
  }

  /** Records a line that was lost because there was no memory for it. */
  public void lost(String reason) {
    context.lines(protocol, "lost", 1);
    log.warn("lines lost", reason);
  }

  /** Logs that the connection is closed because of its input. */
  void closes(String reason) {
    log.warn("connections closed", reason);
  }

  /**
   * Reads a line into the batch. If there is no memory for it, the batch is written first; if there
   * still is none, the line is lost.
   */
  public void read(Runnable reading) throws IOException {
    try {
      reading.run();
      return;
    } catch (OverBudgetException e) {
      flush();
    }
    try {
      reading.run();
    } catch (OverBudgetException e) {
      lost(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Writes the batch and returns once it is durable or lost.
   *
   * @throws SenderRefusedException if the sender may no longer write; the batch is then lost
   */
  public void flush() throws IOException {
    int taken = read;
    if (taken > 0) {
      context.lines(protocol, "read", taken);
    }
    if (bad > 0) {
      context.lines(protocol, "bad", bad);
      String first = firstBad;
      context.refused(protocol, Intake.SYNTAX, bad, () -> first);
    }
    read = 0;
    bad = 0;
    if (!batch.isEmpty()) {
      long bytes = batch.byteCount();
      try {
        write(batch.build(), taken);
      } finally {
        memory.letGo(bytes);
      }
    }
  }

  private void write(Batch full, int taken) throws IOException {
    long giveUp = System.nanoTime() + RETRY_MAX.toNanos();
    while (true) {
      Duration pause;
      RuntimeException reason;
      try {
        new Intake(context.defaultDataset(sender.now()), protocol, context.ingest())
            .writeOwn(full, false);
        return;
      } catch (SenderRefusedException e) {
        lost(taken, e);
        throw e;
      } catch (OverloadedException e) {
        pause = e.retryAfter();
        reason = e;
      } catch (HttpError e) {
        pause = e.retryAfter();
        reason = e;
      } catch (WriteFailedException e) {
        pause = null;
        reason = e;
      }
      if (pause == null || System.nanoTime() + pause.toNanos() > giveUp) {
        lost(taken, reason);
        return;
      }
      sleep(pause);
    }
  }

  private void lost(int lines, RuntimeException reason) {
    context.lines(protocol, "lost", lines);
    log.warn("lines lost", lines, () -> String.valueOf(reason.getMessage()));
  }

  private static void sleep(Duration pause) throws IOException {
    try {
      Thread.sleep(pause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
