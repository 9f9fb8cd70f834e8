package dev.varve.cli;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Finds the server that holds a data directory. */
final class RunningServer {
  private RunningServer() {}

  /** The server that listens at the socket of a directory; empty where none does. */
  static Optional<ServerAddress> find(Path directory) {
    if (!Files.exists(directory.resolve(DataSocket.NAME))) {
      return Optional.empty();
    }
    try (SocketChannel _ = DataSocket.connect(directory)) {
      return Optional.of(new ServerAddress.Local(directory));
    } catch (IOException e) {
      // A copy of a directory, or what a killed server has left.
      return Optional.empty();
    }
  }
}
