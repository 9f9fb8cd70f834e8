package dev.varve.cli;

import dev.varve.server.config.Url;
import java.net.URI;
import java.nio.file.Path;

/** Where a command reaches a server. Its text is fit for messages. */
sealed interface ServerAddress {
  /** A server that {@code --server} names. */
  record Remote(URI url) implements ServerAddress {
    @Override
    public String toString() {
      return new Url(url).toString();
    }
  }

  /** The server of a data directory, by the socket in it. */
  record Local(Path directory) implements ServerAddress {
    @Override
    public String toString() {
      return directory.resolve(DataSocket.NAME).toString();
    }
  }
}
