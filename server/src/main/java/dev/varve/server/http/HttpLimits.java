package dev.varve.server.http;

import dev.varve.model.HeapShares;
import java.time.Duration;

/**
 * The limits of requests.
 *
 * @param body maximum bytes of a body as received
 * @param decodedBody maximum bytes of a decompressed body
 * @param memory maximum bytes received and not yet written, in every form, over all protocols
 * @param writes maximum number of concurrent writes
 * @param reads maximum number of concurrent reads
 * @param waiting maximum number of waiting requests of either kind
 * @param patience maximum time that a request waits
 * @param timeout maximum duration of a read
 * @param drain maximum time that requests continue when the server stops
 * @param connections limits of connections
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

  /** Returns the same limits with others for bodies. */
  public HttpLimits withBodies(long raw, long decoded) {
    return new HttpLimits(
        raw, decoded, memory, writes, reads, waiting, patience, timeout, drain, connections);
  }

  /** Returns the same limits with another budget for writes. */
  public HttpLimits withMemory(long other) {
    return new HttpLimits(
        body, decodedBody, other, writes, reads, waiting, patience, timeout, drain, connections);
  }

  /** Returns the same limits with others for connections. */
  public HttpLimits withConnections(ConnectionLimits other) {
    return new HttpLimits(
        body, decodedBody, memory, writes, reads, waiting, patience, timeout, drain, other);
  }
}
