package dev.varve.cli.target;

import dev.varve.cli.config.VarveConfig;
import dev.varve.cli.io.CommandFailedException;
import picocli.CommandLine.Mixin;

/** Options that name the running server of a command. */
public final class ServerOptions {
  @Mixin private ConfigOptions config;

  @Mixin private RemoteOptions remote;

  /**
   * Finds the server.
   *
   * @throws CommandFailedException if no server is running
   */
  public ServerConnection connect() {
    ServerAddress named = remote.address();
    if (named != null) {
      return new ServerConnection(named);
    }
    VarveConfig read = config.read();
    return new ServerConnection(
        RunningServer.find(read.engine().directory())
            .orElseThrow(() ->
                new CommandFailedException(
                    "no server runs on the data directory '%s': --data names another, --server a server"
                        .formatted(read.engine().directory()))));
  }
}
