package dev.varve.devstores;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A program that runs beside this one, its output in a file. It is ended by its handle, and with
 * this process.
 */
public final class ChildProcess implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(20);
  private static final int SHOWN_LINES = 20;

  /** How long a program may take to end in order once this process is asked to end. */
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

  /** Asks a program to end, so that it can write down what it knows; what does not is killed. */
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
   * @param log takes its output, behind what is there
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
   * Waits until the program has written a text since it was started.
   *
   * @throws DevStoreException with the end of its output, if it ends before or takes longer
   */
  public void awaitOutput(String text, Duration atMost) {
    await("'" + text + "' in its output", () -> output().contains(text), atMost);
  }

  /**
   * Waits until something holds.
   *
   * @param what that is, for the message
   * @throws DevStoreException with the end of its output, if the program ends before or it takes
   *     longer
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

  /** What the program has written since it was started. */
  public String output() {
    try {
      byte[] bytes = Files.readAllBytes(log);
      int from = (int) Math.min(logFrom, bytes.length);
      return new String(bytes, from, bytes.length - from, java.nio.charset.StandardCharsets.UTF_8);
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

  /** Asks the program to end, and waits. */
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

  /** Ends the program at once and waits until it is gone. */
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
