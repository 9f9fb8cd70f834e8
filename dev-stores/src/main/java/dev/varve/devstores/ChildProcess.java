package dev.varve.devstores;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A child process whose output goes to a file. It ends when it is stopped, or with this process.
 */
public final class ChildProcess implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(20);
  private static final int SHOWN_LINES = 20;

  /** Time that a program has to stop when this process ends. */
  private static final Duration FAREWELL = Duration.ofSeconds(20);

  private final String name;
  private final Process process;
  private final Path log;
  private final long logFrom;
  private final Thread hook;

  private ChildProcess(String name, Process process, Path log, long logFrom) {
    this.name = name;
    this.process = process;
    this.log = log;
    this.logFrom = logFrom;
    this.hook = new Thread(() -> end(process, FAREWELL), "end of " + name);
  }

  /** Asks a program to end, so that it can save its state; kills it after the timeout. */
  static void end(Process process, Duration atMost) {
    process.destroy();
    try {
      if (process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
  }

  /**
   * Starts a program.
   *
   * @param log receives its output, after any existing content
   */
  public static ChildProcess start(
      String name,
      List<String> command,
      Path directory,
      Map<String, String> environment,
      Path log) {
    try {
      Files.createDirectories(directory);
      if (!Files.exists(log)) {
        Files.write(log, new byte[0], StandardOpenOption.CREATE);
      }
      long logFrom = Files.size(log);
      ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
      builder.environment().putAll(environment);
      builder.redirectErrorStream(true);
      builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
      ChildProcess child = new ChildProcess(name, builder.start(), log, logFrom);
      child.process.getOutputStream().close();
      Runtime.getRuntime().addShutdownHook(child.hook);
      return child;
    } catch (IOException e) {
      throw new DevStoreException("%s cannot be started: %s".formatted(name, e.getMessage()), e);
    }
  }

  /**
   * Waits until the program has written a text since its start.
   *
   * @throws DevStoreException with the end of its output, if the program ends first or the wait
   *     times out
   */
  public void awaitOutput(String text, Duration atMost) {
    await("'" + text + "' in its output", () -> output().contains(text), atMost);
  }

  /**
   * Waits until a condition holds.
   *
   * @param what description of the condition, for the message
   * @throws DevStoreException with the end of its output, if the program ends first or the wait
   *     times out
   */
  public void await(String what, BooleanSupplier holds, Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (!holds.getAsBoolean()) {
      if (!process.isAlive()) {
        throw new DevStoreException(
            "%s ended with %d before %s; the last of %s:%n%s"
                .formatted(name, process.exitValue(), what, log, lastLines()));
      }
      if (System.nanoTime() > deadline) {
        close();
        throw new DevStoreException(
            "%s: no %s after %d s; the last of %s:%n%s"
                .formatted(name, what, atMost.toSeconds(), log, lastLines()));
      }
      try {
        Thread.sleep(POLL);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        close();
        throw new DevStoreException("waiting for " + name + " was interrupted", e);
      }
    }
  }

  /** Returns what the program has written since its start. */
  public String output() {
    try {
      byte[] bytes = Files.readAllBytes(log);
      int from = (int) Math.min(logFrom, bytes.length);
      return new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new DevStoreException("cannot read " + log + ": " + e.getMessage(), e);
    }
  }

  private String lastLines() {
    List<String> lines = output().lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size()));
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  public long pid() {
    return process.pid();
  }

  /** Asks the program to end and waits; kills it after the timeout. */
  public void stop(Duration atMost) {
    process.destroy();
    try {
      if (!process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
        close();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      close();
    }
  }

  /** Kills the program and waits until it has ended. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor(30, TimeUnit.SECONDS);
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IllegalStateException e) {
      // This process is ending, and its hooks with it.
      return;
    }
  }
}
