package dev.varve.cli;

import dev.varve.server.config.Url;
import java.net.URI;
import java.nio.file.Path;

/** The address of a server. Its text is suitable for messages. */
sealed interface ServerAddress {
  /**
   * A server named by {@code --server}.
   *
   * @param http how to log in to it
   */
  record Remote(URI url, HttpConfig http) implements ServerAddress {
    @Override
    public String toString() {
      return new Url(url).toString();
    }
  }

  /** The server of a data directory, reached through its socket. */
  record Local(Path directory) implements ServerAddress {
    @Override
    public String toString() {
      return directory.resolve(DataSocket.NAME).toString();
    }
  }
}
