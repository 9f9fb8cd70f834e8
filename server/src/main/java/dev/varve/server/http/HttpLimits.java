package dev.varve.server.http;

import dev.varve.engine.HeapShares;
import java.time.Duration;

/**
 * What a request may take.
 *
 * @param body bytes of a body as it comes
 * @param decodedBody bytes of a body once it is decompressed
 * @param memory bytes that may be received and not be written yet, in every form, over all
 *     protocols
 * @param writes requests that write at once
 * @param reads requests that read at once
 * @param waiting requests of either kind that may wait for one of these to end
 * @param patience how long they wait
 * @param timeout how long a request that reads may take
 * @param drain how long requests may go on when the server stops
 * @param connections what connections may take
 */
public record HttpLimits(
    long body,
    long decodedBody,
    long memory,
    int writes,
    int reads,
    int waiting,
    Duration patience,
    Duration timeout,
    Duration drain,
    ConnectionLimits connections) {
  public static final HttpLimits DEFAULTS =
      new HttpLimits(
          32L << 20,
          256L << 20,
          HeapShares.OF_THIS_PROCESS.writes(),
          64,
          16,
          256,
          Duration.ofSeconds(10),
          Duration.ofMinutes(2),
          Duration.ofSeconds(20),
          ConnectionLimits.DEFAULTS);

  /** The same with other limits of bodies. */
  public HttpLimits withBodies(long raw, long decoded) {
    return new HttpLimits(
        raw, decoded, memory, writes, reads, waiting, patience, timeout, drain, connections);
  }

  /** The same with another budget of writes. */
  public HttpLimits withMemory(long other) {
    return new HttpLimits(
        body, decodedBody, other, writes, reads, waiting, patience, timeout, drain, connections);
  }

  /** The same with other limits of connections. */
  public HttpLimits withConnections(ConnectionLimits other) {
    return new HttpLimits(
        body, decodedBody, memory, writes, reads, waiting, patience, timeout, drain, other);
  }
}
