package dev.varve.engine;

import java.util.List;

/** The threads of this process that live; those of a dataset are none of them virtual. */
final class LiveThreads {
  private LiveThreads() {}

  /** The names of the threads that carry the name of a dataset, as all threads behind one do. */
  static List<String> named(String dataset) {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.endsWith(" " + dataset))
        .toList();
  }
}
