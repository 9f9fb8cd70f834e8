package dev.varve.devstores;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The original Prometheus on 127.0.0.1, from Debian's unstable suite. Varve's PromQL and HTTP API
 * are compared with it.
 */
public final class Prometheus extends DebianServer {
  private static final String NAME = "Prometheus";
  private static final String PROGRAM = "prometheus";

  private Prometheus(DebianProgram program, int port, Path directory, List<String> command) {
    super(NAME, program, port, command, directory, "Server is ready to receive web requests");
  }

  /**
   * Starts it and returns once it answers.
   *
   * @param directory where its configuration, data and log go
   * @param configuration its configuration in YAML; the word {@code PORT} stands for its own port
   * @param flags flags in addition to those for folder and port, such as {@code
   *     --web.enable-remote-write-receiver}
   */
  public static Prometheus start(Path directory, String configuration, List<String> flags) {
    Path own = directory.toAbsolutePath();
    DebianProgram program = DebianProgram.find(PROGRAM, PROGRAM);
    int port = Ports.free();
    String complete = configuration.replace("PORT", Integer.toString(port));
    List<String> command = new ArrayList<>();
    command.add(program.executable().toString());
    command.add("--config.file=" + configure(NAME, own, "prometheus.yml", complete));
    command.add("--storage.tsdb.path=" + own.resolve("data"));
    command.add("--web.listen-address=127.0.0.1:" + port);
    command.addAll(flags);
    return new Prometheus(program, port, own, command);
  }

  /** Returns its command line tool. */
  public static Path promtool() {
    return DebianProgram.find("promtool", "promtool").executable();
  }
}
