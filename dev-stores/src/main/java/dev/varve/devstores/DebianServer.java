package dev.varve.devstores;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A server of a {@linkplain DebianProgram Debian package} that runs as a child process and serves
 * HTTP on a port of 127.0.0.1.
 */
public abstract sealed class DebianServer implements AutoCloseable
    permits Alertmanager, InfluxDb, NodeExporter, Prometheus, VictoriaMetrics {
  private static final Duration READY = Duration.ofSeconds(60);
  private static final Duration STOP = Duration.ofSeconds(20);

  private final DebianProgram program;
  private final int port;
  private final Path log;
  private final ChildProcess process;

  /**
   * Starts a server and returns once it answers.
   *
   * @param name name of the server, for messages
   * @param command the program and its arguments, which contain the port
   * @param directory its working directory, which also receives its output
   * @param ready text that the server logs once it answers
   */
  DebianServer(
      String name,
      DebianProgram program,
      int port,
      List<String> command,
      Path directory,
      String ready) {
    this.program = program;
    this.port = port;
    this.log = directory.resolve(name.toLowerCase(Locale.ROOT).replace(' ', '-') + ".log");
    this.process = ChildProcess.start(name, command, directory, Map.of(), log);
    process.awaitOutput(ready, READY);
  }

  /**
   * Writes the configuration of a server, and returns its file.
   *
   * @param file name of the file in the directory
   */
  static Path configure(String name, Path directory, String file, String configuration) {
    try {
      Files.createDirectories(directory);
      return Files.writeString(directory.resolve(file), configuration);
    } catch (IOException e) {
      throw new DevStoreException(
          "cannot write the configuration of %s: %s".formatted(name, e.getMessage()), e);
    }
  }

  /** Returns the port of its HTTP API, on 127.0.0.1. */
  public int port() {
    return port;
  }

  /** Returns the version of the Debian package, such as {@code 3.5.3+ds1-6}. */
  public String debianVersion() {
    return program.debianVersion();
  }

  /** Returns the file that receives its output. */
  public Path log() {
    return log;
  }

  public long pid() {
    return process.pid();
  }

  /** Stops it gracefully, so that it saves its state; kills it after 20 s. */
  @Override
  public void close() {
    process.stop(STOP);
    process.close();
  }
}
