package dev.varve.matrix.differential;

/**
 * The answer of a server.
 *
 * @param body in which what the server names in its own way has its common name
 */
record Answer(int status, String body) {
  /** The status of a connection that the server has closed without an answer. */
  static final int DROPPED = -1;

  @Override
  public String toString() {
    return status + " " + body;
  }
}
