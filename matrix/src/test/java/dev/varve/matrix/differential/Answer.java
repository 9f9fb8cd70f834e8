package dev.varve.matrix.differential;

/**
 * The answer of a server. The status is {@link #DROPPED} if the server closed the connection
 * without one.
 *
 * @param body the body, with server-specific names replaced by common ones
 */
record Answer(int status, String body) {
  /** The status of a connection that the server has closed without an answer. */
  static final int DROPPED = -1;

  @Override
  public String toString() {
    return status + " " + body;
  }
}
