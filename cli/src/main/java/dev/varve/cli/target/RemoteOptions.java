package dev.varve.cli.target;

import dev.varve.cli.io.WrongCallException;
import dev.varve.server.config.Url;
import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that name a server by its address. */
public final class RemoteOptions {
  @Option(
      names = "--server",
      paramLabel = "URL",
      description =
          "A server to work with, such as http://127.0.0.1:4242 (default: the one that holds the data directory, if it runs).")
  private @Nullable URI server;

  @Option(
      names = "--http.config.file",
      paramLabel = "FILE",
      description =
          "How to log in to the server of --server and which certificate to believe, in the format of promtool: basic_auth, authorization, tls_config.")
  private @Nullable Path http;

  /** Returns whether a server is named. */
  public boolean isGiven() {
    return server != null;
  }

  /**
   * Returns the server; null if none is named.
   *
   * @throws WrongCallException if the text is not an address
   * @throws dev.varve.server.config.ConfigException if the file has a problem
   */
  public ServerAddress.@Nullable Remote address() {
    if (server == null) {
      if (http != null) {
        throw new WrongCallException(
            "--http.config.file is for the server of --server; others answer by their socket");
      }
      return null;
    }
    return new ServerAddress.Remote(
        checked(server), http == null ? HttpConfig.NONE : HttpConfig.read(http));
  }

  static URI checked(URI server) {
    if (server.getHost() == null
        || !("http".equals(server.getScheme()) || "https".equals(server.getScheme()))) {
      throw new WrongCallException(
          "'" + new Url(server) + "' is no address of a server (try http://127.0.0.1:4242)");
    }
    return server;
  }
}
