package dev.varve.server.http;

import java.time.Duration;

/**
 * What connections may take.
 *
 * @param max how many may be open at once, on all listeners
 * @param perClient how many of these one client may have open; behind trusted proxies, how many
 *     requests it may have under way
 * @param lines how many of these may speak line protocols
 * @param reserve how many may be open on each listener beyond these limits, for requests of
 *     operators alone
 * @param header how long the header of a request may take to arrive
 * @param idle how long a connection may be silent between requests
 * @param linesIdle how long a connection that speaks lines may be silent: lines come in bursts,
 *     agents send once an interval
 * @param minRate bytes a second that a client has to send of a body, and to read of an answer
 * @param grace how long a client that sends a body may fall behind that rate
 * @param proxies whose {@code X-Forwarded-For} is believed
 */
public record ConnectionLimits(
    int max,
    int perClient,
    int lines,
    int reserve,
    Duration header,
    Duration idle,
    Duration linesIdle,
    long minRate,
    Duration grace,
    TrustedProxies proxies) {
  public static final int DEFAULT_MAX = 2_000;

  public static final ConnectionLimits DEFAULTS = ofMax(DEFAULT_MAX);

  /** The defaults with another number of connections, and what depends on it. */
  public static ConnectionLimits ofMax(int max) {
    return new ConnectionLimits(
        max,
        Math.max(1, max / 4),
        Math.max(1, max / 2),
        256,
        Duration.ofSeconds(10),
        Duration.ofSeconds(60),
        Duration.ofMinutes(15),
        1 << 10,
        Duration.ofSeconds(20),
        TrustedProxies.NONE);
  }

  /** How many connections of one client may speak line protocols: a quarter of all of these. */
  int linesPerClient() {
    return Math.max(Math.min(2, lines), lines / 4);
  }

  /** How long a header may take on a connection of the reserve, of which there are few. */
  Duration reserveHeader() {
    Duration most = Duration.ofSeconds(2);
    return header.compareTo(most) < 0 ? header : most;
  }
}
