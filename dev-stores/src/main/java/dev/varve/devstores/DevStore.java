package dev.varve.devstores;

import java.nio.file.Path;
import java.util.Map;

/** A real store that runs as a child process. Closing it ends the process and keeps its files. */
public interface DevStore extends AutoCloseable {
  /** Returns the kind of store, as in configurations. */
  String kind();

  /** Returns the options with which a dataset's store finds it. */
  Map<String, String> options();

  /** Returns the file that receives its output. */
  Path log();

  /** Returns whether the process runs. */
  boolean isAlive();

  /** Kills the process with SIGKILL, as a crash would. */
  void kill();

  /** Stops the process gracefully, so that its files are complete, and waits. */
  void stop();

  /** Starts it again with the same files and ports; returns once it is ready. */
  void restart();

  @Override
  void close();
}
