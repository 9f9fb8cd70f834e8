package dev.varve.devstores;

import java.nio.file.Path;
import java.util.Map;

/** A real store that runs as a child process. Closing it ends the process and keeps its files. */
public interface DevStore extends AutoCloseable {
  /** The kind of store, as configurations name it. */
  String kind();

  /** The options with which a dataset's store finds it. */
  Map<String, String> options();

  /** Where its output goes. */
  Path log();

  /** Whether the process runs. */
  boolean isAlive();

  /** Ends the process at once, as a crash would: SIGKILL. */
  void kill();

  /** Asks the process to end in order, so that its files hold everything it knows, and waits. */
  void stop();

  /** Starts it again on the same files and ports; returns once it is ready. */
  void restart();

  @Override
  void close();
}
