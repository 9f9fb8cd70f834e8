package dev.varve.cli;

import dev.varve.cli.config.VarveConfig;
import dev.varve.server.config.Url;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that name the running server of a command. */
final class ServerOptions {
  @Mixin private ConfigOptions config;

  @Option(
      names = "--server",
      paramLabel = "URL",
      description =
          "The server, such as http://127.0.0.1:4242 (default: the one that holds the data directory).")
  private @Nullable URI server;

  /**
   * Finds the server.
   *
   * @throws CommandFailedException if no server is running
   */
  ServerConnection connect() {
    if (server != null) {
      return new ServerConnection(new ServerAddress.Remote(checked(server)));
    }
    VarveConfig read = config.read();
    return new ServerConnection(
        RunningServer.find(read.engine().directory())
            .orElseThrow(() ->
                new CommandFailedException(
                    "no server runs on the data directory '%s': --data names another, --server a server"
                        .formatted(read.engine().directory()))));
  }

  /**
   * @throws WrongCallException if it is no address
   */
  static URI checked(URI server) {
    if (server.getHost() == null
        || !("http".equals(server.getScheme()) || "https".equals(server.getScheme()))) {
      throw new WrongCallException(
          "'" + new Url(server) + "' is no address of a server (try http://127.0.0.1:4242)");
    }
    return server;
  }
}
