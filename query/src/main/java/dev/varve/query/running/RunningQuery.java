package dev.varve.query.running;

import java.time.Duration;
import java.time.Instant;

/** A waiting or running query, as seen by others. Thread-safe. */
public final class RunningQuery {
  /** State of a query. */
  public enum State {
    QUEUED,
    RUNNING,
    /** It has been stopped but has not ended yet. */
    CANCELLING
  }

  private final String id;
  private final QueryOrigin origin;
  private final Instant since;
  private final QueryUse use;
  private final long cameNanos = System.nanoTime();
  private volatile long startedNanos;
  private volatile boolean started;
  private volatile boolean isAside;
  private volatile long asideNanos;

  RunningQuery(String id, QueryOrigin origin, Instant since, QueryUse use) {
    this.id = id;
    this.origin = origin;
    this.since = since;
    this.use = use;
  }

  /** Returns the id, which is unique among all queries of all servers. */
  public String id() {
    return id;
  }

  public QueryOrigin origin() {
    return origin;
  }

  /** Returns the time of arrival. */
  public Instant since() {
    return since;
  }

  /** Returns its resource use. */
  public QueryUse use() {
    return use;
  }

  public State state() {
    if (use.stopped() != null) {
      return State.CANCELLING;
    }
    return started && !isAside ? State.RUNNING : State.QUEUED;
  }

  void start() {
    startedNanos = System.nanoTime();
    started = true;
  }

  /** Sets whether the query has started but is waiting to continue. */
  void standsAside(boolean waits) {
    isAside = waits;
  }

  /** Sets how long it waited to continue. */
  void stoodAside(long nanos) {
    asideNanos = nanos;
  }

  /** Returns how long it waited, before it started and to continue. */
  public Duration waited() {
    return Duration.ofNanos((started ? startedNanos : System.nanoTime()) - cameNanos + asideNanos);
  }

  /** Returns how long it has run, without waiting times. */
  public Duration ran() {
    return started
        ? Duration.ofNanos(System.nanoTime() - startedNanos - asideNanos)
        : Duration.ZERO;
  }
}
