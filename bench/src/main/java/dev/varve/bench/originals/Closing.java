package dev.varve.bench.originals;

/** Closes the servers and stores that a stage has started, and the connections to them. */
final class Closing {
  private Closing() {}

  /** Closes all, in order, even if some fail. */
  static void all(Iterable<? extends AutoCloseable> started) {
    for (AutoCloseable one : started) {
      try {
        one.close();
      } catch (Exception e) {
        System.err.println("cannot stop " + one + ": " + e.getMessage());
      }
    }
  }
}
