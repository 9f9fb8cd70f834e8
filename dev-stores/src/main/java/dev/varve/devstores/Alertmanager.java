package dev.varve.devstores;

import java.nio.file.Path;
import java.util.List;

/**
 * The original Alertmanager on 127.0.0.1, a single instance. Varve's rules send alerts to it.
 * Debian's build needs its templates in {@code /usr/share} to start, so it runs in a mount
 * namespace in which that folder is the one of its package.
 */
public final class Alertmanager extends DebianServer {
  private static final String NAME = "Alertmanager";
  private static final String PROGRAM = "prometheus-alertmanager";

  private Alertmanager(DebianProgram program, int port, Path directory, Path configuration) {
    super(
        NAME,
        program,
        port,
        List.of(
            "unshare",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            "mount --bind \"$0\" /usr/share && exec \"$@\"",
            program.executable().resolveSibling("../share").normalize().toString(),
            program.executable().toString(),
            "--config.file=" + configuration,
            "--storage.path=" + directory.resolve("data"),
            "--web.listen-address=127.0.0.1:" + port,
            // It neither looks for peers nor accepts any.
            "--cluster.listen-address="),
        directory,
        "Listening on");
  }

  /**
   * Starts it and returns once it answers. When it is started again in the same directory it uses
   * the same port, and remembers its notifications, but no alerts.
   *
   * @param directory where its configuration, data and log go
   * @param configuration its configuration in YAML
   */
  public static Alertmanager start(Path directory, String configuration) {
    Path own = directory.toAbsolutePath();
    return new Alertmanager(
        DebianProgram.find(PROGRAM, PROGRAM),
        Ports.kept(own, "127.0.0.1", 1).getFirst(),
        own,
        configure(NAME, own, "alertmanager.yml", configuration));
  }
}
