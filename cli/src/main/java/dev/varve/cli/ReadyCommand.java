package dev.varve.cli;

import dev.varve.cli.target.ServerConnection;
import dev.varve.cli.target.ServerOptions;
import dev.varve.cli.target.ServerRequest;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code varve ready}. */
@Command(
    name = "ready",
    description =
        "Ends with 0 if a server runs and every dataset takes writes, otherwise with 1 and the reason. For health checks.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Examples:",
      "  varve ready --data /var/lib/varve",
      "  varve ready --server https://varve.example:4242",
      "",
      "Without --server it asks over the socket of the data directory, which needs neither a certificate nor a password."
    })
final class ReadyCommand implements Callable<Integer> {
  @Mixin private ServerOptions server;

  @Override
  public Integer call() throws IOException {
    try (ServerConnection connection = server.connect();
        InputStream body = connection.send(ServerRequest.get("/-/ready"))) {
      body.readAllBytes();
    }
    return 0;
  }
}
