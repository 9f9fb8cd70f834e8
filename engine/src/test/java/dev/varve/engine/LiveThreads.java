package dev.varve.engine;

import java.util.List;

/** The live threads of this process. Threads of a dataset are never virtual. */
final class LiveThreads {
  private LiveThreads() {}

  /**
   * Returns the names of threads that contain the name of a dataset, as all its background threads
   * do.
   */
  static List<String> named(String dataset) {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.endsWith(" " + dataset))
        .toList();
  }
}
