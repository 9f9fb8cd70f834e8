package dev.varve.cli.migrate;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.target.ServerAddress;
import dev.varve.cli.target.ServerConnection;
import dev.varve.cli.target.ServerRequest;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.server.prometheus.RemoteReadClient;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A server with Prometheus' remote read, which is asked for one series after the other. A native
 * histogram ends the migration.
 */
final class PrometheusSource implements MigrationSource {
  private final ServerConnection connection;
  private final ServerAddress server;
  private final PrometheusListing listing;

  PrometheusSource(ServerAddress server, Selection selection) {
    this.server = server;
    this.connection = new ServerConnection(server);
    this.listing = new PrometheusListing(connection, selection);
  }

  @Override
  public String name() {
    return "Prometheus " + server;
  }

  @Override
  public Resolution resolution() {
    return Resolution.MILLISECONDS;
  }

  @Override
  public List<String> metrics() throws IOException {
    return listing.metrics();
  }

  @Override
  public void read(String metric, @Nullable Series from, Receiver to) throws IOException {
    List<Series> all = listing.series(metric);
    for (Series series : all) {
      if (from == null || Position.ORDER.compare(series, from) >= 0) {
        read(series, all, to);
      }
    }
  }

  private void read(Series series, List<Series> ofMetric, Receiver to) throws IOException {
    byte[] body =
        RemoteReadClient.request(
            PrometheusListing.only(series, ofMetric), listing.first(), listing.last());
    ServerRequest request =
        ServerRequest.post("/api/v1/read", body)
            .with("Content-Type", "application/x-protobuf")
            .with("Content-Encoding", "snappy")
            .with("X-Prometheus-Remote-Read-Version", "0.1.0");
    InOrder samples = new InOrder(series, listing.first(), listing.last(), to);
    try (InputStream answer = connection.send(request)) {
      if (RemoteReadClient.read(answer, samples::accept) > 0) {
        throw new CommandFailedException(
            "%s has native histograms, which Varve does not hold: leave it out with --select"
                .formatted(series));
      }
    }
  }

  @Override
  public void close() {
    connection.close();
  }
}
