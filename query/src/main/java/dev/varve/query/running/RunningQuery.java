package dev.varve.query.running;

import java.time.Duration;
import java.time.Instant;

/** A query that waits or runs, as others see it. Safe for use by several threads. */
public final class RunningQuery {
  /** How far it is. */
  public enum State {
    QUEUED,
    RUNNING,
    /** It has been told to end. */
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

  /** By which it can be ended; no other query of any server has it. */
  public String id() {
    return id;
  }

  public QueryOrigin origin() {
    return origin;
  }

  /** When it came. */
  public Instant since() {
    return since;
  }

  /** What it counts by. */
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

  /** Says whether it has begun and waits to go on. */
  void standsAside(boolean waits) {
    isAside = waits;
  }

  /** Says for how long it waited to go on. */
  void stoodAside(long nanos) {
    asideNanos = nanos;
  }

  /** How long it waited before it began, and to go on. */
  public Duration waited() {
    return Duration.ofNanos((started ? startedNanos : System.nanoTime()) - cameNanos + asideNanos);
  }

  /** How long it has run, without what it waited. */
  public Duration ran() {
    return started
        ? Duration.ofNanos(System.nanoTime() - startedNanos - asideNanos)
        : Duration.ZERO;
  }
}
