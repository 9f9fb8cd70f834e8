package dev.varve.server.http;

/**
 * The sender of the lines of a connection. Connections last for days, while rights change and
 * certificates expire. A protocol therefore calls {@link #now} again before it writes what has
 * arrived. For one thread.
 */
@FunctionalInterface
public interface Sender {
  /** Everyone, with all rights. */
  Sender ANYONE = () -> Caller.ANYONE;

  /**
   * Returns the sender with the rights that it has now. Cheap unless the rights have changed.
   *
   * @throws SenderRefusedException if it may not write, or no longer may; the connection then ends
   */
  Caller now();
}
