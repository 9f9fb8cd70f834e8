package dev.varve.bench.compare;

/** Reports the progress of a long run on standard error; standard output has only its result. */
final class Progress {
  private Progress() {}

  static void say(String line) {
    System.err.printf("%tT %s%n", System.currentTimeMillis(), line);
  }
}
