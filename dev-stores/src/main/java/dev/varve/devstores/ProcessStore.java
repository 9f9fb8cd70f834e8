package dev.varve.devstores;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A store whose life is that of one child process. */
abstract class ProcessStore implements DevStore {
  private final Duration stopTimeout;
  private @Nullable ChildProcess process;

  /**
   * @param stopTimeout after which a process that is asked to end is killed
   */
  ProcessStore(Duration stopTimeout) {
    this.stopTimeout = stopTimeout;
  }

  /** Starts the process, with the same files and ports each time. */
  abstract ChildProcess launch();

  /** Waits until the process serves clients. */
  abstract void awaitReady();

  /** Starts the process for the first time, without waiting for it. */
  final void begin() {
    process = launch();
  }

  final ChildProcess process() {
    return Objects.requireNonNull(process);
  }

  @Override
  public final boolean isAlive() {
    return process().isAlive();
  }

  @Override
  public final void kill() {
    process().close();
  }

  @Override
  public final void stop() {
    process().stop(stopTimeout);
  }

  @Override
  public final void restart() {
    process().close();
    begin();
    awaitReady();
  }

  @Override
  public void close() {
    stop();
    kill();
  }
}
