package dev.varve.cli.target;

import dev.varve.cli.io.WrongCallException;
import dev.varve.server.config.Url;
import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The address of a server. Its text is suitable for messages. */
public sealed interface ServerAddress {
  /**
   * Returns the address of a remote server.
   *
   * @param http file with credentials in promtool's format; null for none
   * @throws WrongCallException if the text is not an address
   */
  static ServerAddress of(URI url, @Nullable Path http) {
    return new Remote(
        RemoteOptions.checked(url), http == null ? HttpConfig.NONE : HttpConfig.read(http));
  }

  /**
   * A server named by {@code --server}.
   *
   * @param http credentials for it
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
