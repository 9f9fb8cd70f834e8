package dev.varve.server.http;

import dev.varve.server.http.WriteBudget.Reservation;

/**
 * A part of a reservation that is given back at once, such as what one message or line takes. For
 * one thread.
 */
public final class HeldPart {
  private final Reservation memory;
  private long bytes;

  public HeldPart(Reservation memory) {
    this.memory = memory;
  }

  /**
   * Holds more bytes, before there is memory allocated for them.
   *
   * @throws OverBudgetException if there is no room
   */
  public void hold(long more) {
    memory.hold(more);
    bytes += more;
  }

  /** Holds nothing of it any more. */
  public void letGo() {
    if (bytes > 0) {
      memory.letGo(bytes);
      bytes = 0;
    }
  }
}
