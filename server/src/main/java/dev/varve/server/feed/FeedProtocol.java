package dev.varve.server.feed;

import dev.varve.engine.Dataset;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.RateLimitedLog;
import dev.varve.server.http.Sender;
import dev.varve.server.http.StreamProtocol;
import dev.varve.server.http.WriteBudget.Reservation;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** A protocol without answers: a connection sends samples, and invalid ones are counted. */
public final class FeedProtocol implements StreamProtocol {
  /** Reads the samples of one connection. */
  @FunctionalInterface
  public interface Reader {
    /**
     * Reads a connection to its end. Received samples are written before more are read.
     *
     * @param dataset the dataset of the listener
     * @param memory reservation for received bytes
     * @throws dev.varve.server.http.SenderRefusedException if the sender may no longer write
     */
    void read(Dataset dataset, InputStream in, FeedWriter writer, Reservation memory)
        throws IOException;
  }

  private final DialectContext context;
  private final String protocol;
  private final Reader reader;
  private final RateLimitedLog log;

  /**
   * Creates a protocol.
   *
   * @param protocol name under which samples are counted, and lines or the units that correspond to
   *     them
   */
  public FeedProtocol(DialectContext context, String protocol, Reader reader) {
    this.context = context;
    this.protocol = protocol;
    this.reader = reader;
    this.log = new RateLimitedLog(protocol);
  }

  @Override
  public void serve(Sender sender, InputStream in, OutputStream out, Reservation memory)
      throws IOException {
    try {
      FeedWriter writer = new FeedWriter(context, sender, protocol, log, memory);
      reader.read(context.defaultDataset(sender.now()), in, writer, memory);
    } catch (HttpError e) {
      // The stores are not open yet. Senders will connect again.
      log.warn("connections closed", String.valueOf(e.getMessage()));
    }
  }
}
