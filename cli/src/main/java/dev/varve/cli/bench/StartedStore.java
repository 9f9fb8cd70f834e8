package dev.varve.cli.bench;

import java.util.Map;

/** A store that was started for a measurement. Closing it ends it. */
public interface StartedStore extends AutoCloseable {
  /** Returns the options with which a dataset's store finds it. */
  Map<String, String> options();

  /** Stops the store, so that its files are complete. */
  void stop();

  @Override
  void close();
}
