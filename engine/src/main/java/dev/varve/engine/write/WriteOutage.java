package dev.varve.engine.write;

import dev.varve.store.StoreException;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects that all writes of a dataset fail, and when they succeed again. A server that is not
 * ready receives no writes, so the store is probed while there are none. Safe for use by several
 * threads.
 */
final class WriteOutage implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WriteOutage.class);

  /** Minimum duration of an outage. Retries bridge shorter ones. */
  static final Duration OUTAGE_MIN = Duration.ofSeconds(10);

  private static final Duration BETWEEN_PROBES = Duration.ofSeconds(5);

  /** Throws if a write would fail. */
  interface Probe {
    void run();
  }

  private final String dataset;
  private final Probe probe;
  private final LongSupplier nanos;
  private @Nullable String reason;
  private long since;
  private long last;
  private @Nullable Thread probing;

  /**
   * @param nanos a clock like {@link System#nanoTime}
   */
  WriteOutage(String dataset, Probe probe, LongSupplier nanos) {
    this.dataset = dataset;
    this.probe = probe;
    this.nanos = nanos;
  }

  /** Called when a write is durable. */
  void succeeded() {
    if (isFailing()) {
      end();
    }
  }

  private synchronized boolean isFailing() {
    return reason != null;
  }

  private synchronized void end() {
    if (reason != null && nanos.getAsLong() - since >= OUTAGE_MIN.toNanos()) {
      LOG.info("dataset '{}' takes writes again", dataset);
    }
    reason = null;
  }

  /** Called when a store fails a write. */
  synchronized void failed(String why) {
    last = nanos.getAsLong();
    if (reason == null) {
      since = last;
    }
    reason = why;
    if (probing == null) {
      probing = Thread.ofPlatform().daemon().name("outage-" + dataset).start(this::probe);
    }
  }

  /** Returns why all writes have failed for some time; null if there is no outage. */
  synchronized @Nullable String reason() {
    return reason != null && nanos.getAsLong() - since >= OUTAGE_MIN.toNanos() ? reason : null;
  }

  private void probe() {
    try {
      do {
        Thread.sleep(BETWEEN_PROBES);
      } while (!probeOnce());
    } catch (InterruptedException e) {
      // The outage watch was closed.
    }
  }

  /**
   * Probes unless there are recent writes, which say more than a probe. Returns whether the outage
   * is over.
   */
  private boolean probeOnce() {
    if (hasEnded()) {
      return true;
    }
    if (comesWrite()) {
      return false;
    }
    try {
      probe.run();
      end();
    } catch (StoreException e) {
      failedProbe(String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      failedProbe(e.toString());
    }
    return hasEnded();
  }

  private synchronized void failedProbe(String why) {
    if (reason != null) {
      reason = why;
    }
  }

  private synchronized boolean comesWrite() {
    return nanos.getAsLong() - last < 2 * BETWEEN_PROBES.toNanos();
  }

  private synchronized boolean hasEnded() {
    if (reason != null) {
      return false;
    }
    probing = null;
    return true;
  }

  @Override
  public synchronized void close() {
    reason = null;
    if (probing != null) {
      probing.interrupt();
      probing = null;
    }
  }
}
