package dev.varve.cli.migrate;

import dev.varve.cli.target.ServerAddress;
import dev.varve.cli.target.ServerConnection;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A server that lists its series as Prometheus does, and whose series are read one after the other.
 */
final class ListedSource implements MigrationSource {
  /** Reads the samples of one series. */
  @FunctionalInterface
  interface Reader {
    void read(ServerConnection connection, Wanted wanted, InOrder samples) throws IOException;
  }

  /**
   * A series to read.
   *
   * @param labels that select the series alone
   * @param first the first instant, in ms since 1970
   * @param last the last instant, in ms since 1970
   */
  record Wanted(Series series, Map<String, String> labels, long first, long last) {}

  private final String name;
  private final ServerConnection connection;
  private final PrometheusListing listing;
  private final Reader reader;

  /**
   * Creates a source.
   *
   * @param product name of the server's product, for messages
   */
  ListedSource(String product, ServerAddress server, Selection selection, Reader reader) {
    this.name = product + " " + server;
    this.connection = new ServerConnection(server);
    this.listing = new PrometheusListing(connection, selection);
    this.reader = reader;
  }

  @Override
  public String name() {
    return name;
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
    long first = listing.first();
    long last = listing.last();
    List<Series> all = listing.series(metric);
    for (Series series : all) {
      if (from == null || Position.ORDER.compare(series, from) >= 0) {
        Wanted wanted = new Wanted(series, PrometheusListing.only(series, all), first, last);
        reader.read(connection, wanted, new InOrder(series, first, last, to));
      }
    }
  }

  @Override
  public void close() {
    connection.close();
  }
}
