package dev.varve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.varve.cli.config.VarveConfig;
import dev.varve.engine.Engine;
import dev.varve.server.Server;
import dev.varve.server.ServerConfig;
import dev.varve.store.DirectoryTree;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/**
 * Does what commands and a server do at their start and under load, so that the JVM can cache the
 * loaded classes, and what it learned of their methods, for later starts.
 *
 * <p>The launcher runs this once after a build. It ends by itself and leaves no files. A failed
 * part is reported and skipped, because the cache is useful without it.
 */
final class Rehearsal {
  private static final String POINT =
      "{\"metric\":\"m\",\"tags\":{\"host\":\"a\"},\"time\":1700000000000,\"value\":1.5}";

  private Rehearsal() {}

  /** A part whose failure does not affect the others. */
  private interface Scene {
    void play() throws IOException;
  }

  public static void main(String[] args) throws IOException {
    rehearse(RehearsedLoad.WRITES, new PrintWriter(System.err, true, UTF_8));
    System.exit(0);
  }

  /**
   * Plays all parts.
   *
   * @param writes number of batches that the server gets
   * @param report receives a line for each part that failed
   */
  static void rehearse(int writes, PrintWriter report) throws IOException {
    Path folder = Files.createTempDirectory("varve-rehearsal");
    try {
      play("help", report, () -> showHelp(new CommandLine(new Main())));
      play("cells", report, Rehearsal::showCells);
      play("commands", report, () -> useDirectory(folder.resolve("commands")));
      play("server", report, () -> serve(folder.resolve("server"), writes));
    } finally {
      DirectoryTree.delete(folder);
    }
  }

  private static void play(String name, PrintWriter report, Scene scene) {
    try {
      scene.play();
    } catch (IOException | RuntimeException | LinkageError e) {
      report.println("rehearsal of " + name + ": " + e);
    }
  }

  private static void showHelp(CommandLine command) {
    command.usage(nowhere());
    command.getSubcommands().values().forEach(Rehearsal::showHelp);
  }

  private static void showCells() {
    for (String layout : List.of("heroic", "kairosdb", "opentsdb", "buckets")) {
      run("cells", "--layout", layout, "--output", "json");
      run("cells", "--layout", layout);
    }
    run("layouts");
    run("config");
  }

  private static void useDirectory(Path data) {
    run("put", "--data", data.toString(), POINT);
    run("query", "m", "--data", data.toString(), "--from", "2023-11-14");
    run("explain", "m", "--data", data.toString(), "--from", "2023-11-14", "--analyze");
  }

  private static void serve(Path data, int writes) throws IOException {
    VarveConfig config = VarveConfig.read(null, Map.of(), Map.of("data", data.toString()));
    ServerConfig.Listener usual = ServerConfig.Listener.DEFAULTS;
    ServerConfig serverConfig =
        new ServerConfig(
            List.of(new ServerConfig.Listener(usual.host(), 0, usual.dialects(), null)),
            ServerConfig.DEFAULTS.http(),
            ServerConfig.DEFAULTS.query(),
            ServerConfig.DEFAULTS.selfMonitoring(),
            null);
    try (Engine engine = Engine.open(config.engine());
        Server server = Server.start(serverConfig, engine)) {
      String address = "http://" + usual.host() + ":" + server.ports().getFirst();
      run("put", "--server", address, POINT);
      run("query", "m", "--server", address, "--from", "2023-11-14", "--output", "json");
      new RehearsedLoad(address, writes, System.currentTimeMillis()).run();
    }
  }

  private static void run(String... arguments) {
    System.setIn(new ByteArrayInputStream((POINT + "\n").getBytes(UTF_8)));
    CommandLine line = Main.commandLine();
    line.setOut(nowhere());
    line.execute(arguments);
  }

  private static PrintWriter nowhere() {
    return new PrintWriter(OutputStream.nullOutputStream(), false, UTF_8);
  }
}
