package dev.varve.server.feed;

import dev.varve.engine.OverloadedException;
import dev.varve.engine.WriteFailedException;
import dev.varve.engine.WriteResult.Rejection;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.server.DialectContext;
import dev.varve.server.http.Complaints;
import dev.varve.server.http.HttpError;
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
  private final Complaints complaints;
  private final BatchBuilder batch = new BatchBuilder();
  private int read;
  private int bad;
  private String firstBad = "";

  /**
   * @param protocol under which samples and lines are counted
   */
  public FeedWriter(DialectContext context, String protocol, Complaints complaints) {
    this.context = context;
    this.protocol = protocol;
    this.complaints = complaints;
  }

  /** What is written next; times are in the resolution of the dataset. */
  public BatchBuilder batch() {
    return batch;
  }

  /** Whether there is enough for a write. */
  public boolean isFull() {
    return batch.sampleCount() >= Intake.BATCH;
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

  /** Writes what was gathered and returns once it is durable, or lost. */
  public void flush() throws IOException {
    int taken = read;
    if (taken > 0) {
      context.lines(protocol, "read", taken);
    }
    if (bad > 0) {
      context.lines(protocol, "bad", bad);
      complaints.add(bad, firstBad);
    }
    read = 0;
    bad = 0;
    if (!batch.isEmpty()) {
      write(batch.build(), taken);
    }
  }

  private void write(Batch full, int taken) throws IOException {
    long giveUp = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      Duration pause;
      String reason;
      try {
        Intake intake = new Intake(context.defaultDataset(), protocol, context.ingest());
        intake.writeOwn(full, false);
        if (intake.refused() > 0) {
          Rejection first = intake.rejections().getFirst();
          complaints.add(intake.refused(), first.key() + ": " + first.refusal().message());
        }
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
        complaints.add(taken, "samples are lost: " + reason);
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
