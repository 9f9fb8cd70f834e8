package dev.varve.bench.compare;

/** Reports on standard error what a long run is doing; standard output has only its result. */
final class Progress {
  private Progress() {}

  static void say(String line) {
    System.err.printf("%tT %s%n", System.currentTimeMillis(), line);
  }
}
