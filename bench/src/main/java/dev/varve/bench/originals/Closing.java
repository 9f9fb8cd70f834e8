package dev.varve.bench.originals;

/** Ends what a stage has started. */
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
