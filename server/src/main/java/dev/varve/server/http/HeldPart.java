package dev.varve.server.http;

import dev.varve.server.http.WriteBudget.Reservation;

/**
 * A part of a reservation that is released as a whole, such as the memory of one message or line.
 * For one thread.
 */
public final class HeldPart {
  private final Reservation memory;
  private long bytes;

  public HeldPart(Reservation memory) {
    this.memory = memory;
  }

  /**
   * Holds more bytes. Called before the memory is allocated.
   *
   * @throws OverBudgetException if there is no room
   */
  public void hold(long more) {
    memory.hold(more);
    bytes += more;
  }

  /** Releases all bytes of the part. */
  public void letGo() {
    if (bytes > 0) {
      memory.letGo(bytes);
      bytes = 0;
    }
  }
}
