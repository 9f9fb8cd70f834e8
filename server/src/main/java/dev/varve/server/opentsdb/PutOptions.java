package dev.varve.server.opentsdb;

import dev.varve.server.http.Exchange;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import java.util.concurrent.TimeUnit;

/**
 * The parameters of a write.
 *
 * @param details whether the answer names the points that failed
 * @param summary whether the answer counts them
 * @param timeoutMillis time after which the client gives up, in ms; 0 if it waits
 * @param timed whether the answer has to come before the deadline
 * @param deadline the end of that time, by {@link System#nanoTime()}
 */
record PutOptions(
    boolean details, boolean summary, int timeoutMillis, boolean timed, long deadline) {
  /**
   * Reads the parameters.
   *
   * @throws OpenTsdbError 500 if the timeout is not a number
   */
  static PutOptions of(Exchange exchange) {
    String given = exchange.parameter("sync_timeout");
    int timeout;
    try {
      timeout = given == null ? 0 : Integer.parseInt(given);
    } catch (NumberFormatException e) {
      throw new OpenTsdbError(500, String.valueOf(e.getMessage()));
    }
    return new PutOptions(
        exchange.parameter("details") != null,
        exchange.parameter("summary") != null,
        timeout,
        exchange.parameter("sync") != null && timeout > 0,
        System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeout));
  }
}
