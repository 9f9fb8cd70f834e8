package dev.varve.cli.migrate;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.migrate.ListedSource.Wanted;
import dev.varve.cli.target.ServerConnection;
import dev.varve.cli.target.ServerRequest;
import dev.varve.server.prometheus.RemoteReadClient;
import java.io.IOException;
import java.io.InputStream;

/** Reads series by Prometheus' remote read. A native histogram ends the migration. */
final class RemoteReads implements ListedSource.Reader {
  @Override
  public void read(ServerConnection connection, Wanted wanted, InOrder samples) throws IOException {
    byte[] body = RemoteReadClient.request(wanted.labels(), wanted.first(), wanted.last());
    ServerRequest request =
        ServerRequest.post("/api/v1/read", body)
            .with("Content-Type", "application/x-protobuf")
            .with("Content-Encoding", "snappy")
            .with("X-Prometheus-Remote-Read-Version", "0.1.0");
    try (InputStream answer = connection.send(request)) {
      if (RemoteReadClient.read(answer, samples::accept) > 0) {
        throw new CommandFailedException(
            "%s has native histograms, which Varve does not hold: leave it out with --select"
                .formatted(wanted.series()));
      }
    }
  }
}
