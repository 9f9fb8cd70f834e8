package dev.varve.server.http;

import java.time.Duration;

/**
 * What a request may take.
 *
 * @param body bytes of a body as it comes
 * @param decodedBody bytes of a body once it is decompressed
 * @param writes requests that write at once
 * @param reads requests that read at once
 * @param waiting requests of either kind that may wait for one of these to end
 * @param patience how long they wait
 * @param timeout how long a request that reads may take
 * @param idle how long a connection may be silent
 * @param drain how long requests may go on when the server stops
 * @param connections how many may be open at once, on all ports
 */
public record HttpLimits(
    long body,
    long decodedBody,
    int writes,
    int reads,
    int waiting,
    Duration patience,
    Duration timeout,
    Duration idle,
    Duration drain,
    int connections) {
  public static final HttpLimits DEFAULTS =
      new HttpLimits(
          32L << 20,
          256L << 20,
          64,
          16,
          256,
          Duration.ofSeconds(10),
          Duration.ofMinutes(2),
          Duration.ofSeconds(60),
          Duration.ofSeconds(20),
          2000);

  /** The same with other limits of bodies. */
  public HttpLimits withBodies(long raw, long decoded) {
    return new HttpLimits(
        raw, decoded, writes, reads, waiting, patience, timeout, idle, drain, connections);
  }

  /** The same with another number of connections. */
  public HttpLimits withConnections(int other) {
    return new HttpLimits(
        body, decodedBody, writes, reads, waiting, patience, timeout, idle, drain, other);
  }
}
