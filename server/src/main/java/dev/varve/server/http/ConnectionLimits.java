package dev.varve.server.http;

import java.time.Duration;

/**
 * The limits of connections.
 *
 * @param max maximum number of open connections on all listeners
 * @param perClient maximum number of connections of one client; behind trusted proxies, of its
 *     requests in progress
 * @param lines maximum number of connections with line protocols
 * @param reserve number of connections per listener beyond these limits, for operators' requests
 *     only
 * @param header maximum time for the header of a request to arrive
 * @param idle maximum silence of a connection between requests
 * @param linesIdle maximum silence of a connection with a line protocol; long, because agents send
 *     once per interval
 * @param minRate bytes per second that a client must send of a body and read of an answer
 * @param grace maximum time by which a client that sends a body may lag that rate
 * @param proxies proxies whose {@code X-Forwarded-For} is trusted
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

  /** Returns the defaults with another number of connections, and the limits that depend on it. */
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

  /** Returns the maximum number of line connections of one client: a quarter of all of them. */
  int linesPerClient() {
    return Math.max(Math.min(2, lines), lines / 4);
  }

  /**
   * Returns the maximum time for a header on a connection of the reserve, which is short because
   * these are few.
   */
  Duration reserveHeader() {
    Duration most = Duration.ofSeconds(2);
    return header.compareTo(most) < 0 ? header : most;
  }
}
