package dev.varve.cli.target;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Finds the server of a data directory. */
public final class RunningServer {
  private RunningServer() {}

  /** Returns the server that listens at the socket of a directory; empty if there is none. */
  public static Optional<ServerAddress> find(Path directory) {
    if (!Files.exists(directory.resolve(DataSocket.NAME))) {
      return Optional.empty();
    }
    try (SocketChannel _ = DataSocket.connect(directory)) {
      return Optional.of(new ServerAddress.Local(directory));
    } catch (IOException e) {
      // The directory is a copy, or its server was killed.
      return Optional.empty();
    }
  }
}
