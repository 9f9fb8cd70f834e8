package dev.varve.server.feed;

import dev.varve.engine.OverloadedException;
import dev.varve.engine.WriteFailedException;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.server.DialectContext;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.OverBudgetException;
import dev.varve.server.http.RateLimitedLog;
import dev.varve.server.http.WriteBudget.Reservation;
import dev.varve.server.ingest.Intake;
import java.io.IOException;
import java.time.Duration;

/**
 * Writes what a connection brings into the dataset of its listener. Where the engine has too much
 * to do it waits, which makes the sender wait; what is lost after that is counted. Not safe for use
 * by several threads.
 */
public final class FeedWriter {
  /** So long the engine may refuse a batch before it is given up. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private final DialectContext context;
  private final String protocol;
  private final RateLimitedLog log;
  private final Reservation memory;
  private final BatchBuilder batch;
  private int read;
  private int bad;
  private String firstBad = "";

  /**
   * @param protocol under which samples and lines are counted
   * @param memory counts the columns of batches until they are written
   */
  public FeedWriter(
      DialectContext context, String protocol, RateLimitedLog log, Reservation memory) {
    this.context = context;
    this.protocol = protocol;
    this.log = log;
    this.memory = memory;
    this.batch = new BatchBuilder(memory::hold);
  }

  /** What is written next; times are in the resolution of the dataset. */
  public BatchBuilder batch() {
    return batch;
  }

  /** Whether there is enough for a write. */
  public boolean isFull() {
    return batch.sampleCount() >= Intake.BATCH || batch.byteCount() >= memory.most() / 16;
  }

  /** Notes a line, or what a line is to other protocols, that was read. */
  public void good() {
    read++;
  }

  /** Notes one that was not understood. */
  public void bad(String reason) {
    if (bad++ == 0) {
      firstBad = reason;
    }
  }

  /** Notes one that was given up for want of room. */
  public void lost(String reason) {
    context.lines(protocol, "lost", 1);
    log.warn("lines lost", reason);
  }

  /**
   * Reads something into the batch. Where there is no room for it, what was gathered is written
   * first; where there still is none, it is lost.
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

  /** Writes what was gathered and returns once it is durable, or lost. */
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
    long giveUp = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      Duration pause;
      String reason;
      try {
        new Intake(context.defaultDataset(), protocol, context.ingest()).writeOwn(full, false);
        return;
      } catch (OverloadedException e) {
        pause = e.retryAfter();
        reason = String.valueOf(e.getMessage());
      } catch (HttpError e) {
        pause = e.retryAfter();
        reason = String.valueOf(e.getMessage());
      } catch (WriteFailedException e) {
        pause = null;
        reason = String.valueOf(e.getMessage());
      }
      if (pause == null || System.nanoTime() + pause.toNanos() > giveUp) {
        context.lines(protocol, "lost", taken);
        log.warn("lines lost", taken, () -> reason);
        return;
      }
      sleep(pause);
    }
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
