package dev.varve.server.prometheus;

import dev.varve.engine.Dataset;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.formats.protobuf.MalformedMessageException;
import dev.varve.formats.protobuf.WireWriter;
import dev.varve.query.promql.eval.Labels;
import dev.varve.query.promql.eval.SelectedSeries;
import dev.varve.query.promql.plan.PlanWords;
import dev.varve.query.promql.plan.Projection;
import dev.varve.query.promql.plan.Scan;
import dev.varve.query.running.QueryUse;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /api/v1/read}: Prometheus' <a
 * href="https://prometheus.io/docs/prometheus/3.5/querying/remote_read_api/">remote read</a>,
 * answered with one message of samples or with a stream of chunks.
 */
final class RemoteRead {
  private static final String HELD = "the answer of a remote read";
  private static final int SAMPLES_BETWEEN_LOOKS = 1 << 16;

  private final DialectContext context;

  RemoteRead(DialectContext context) {
    this.context = context;
  }

  void read(Exchange exchange) throws IOException {
    byte[] message = SnappyBody.readQuestion(exchange, "remote read");
    ReadRequest request;
    try {
      request = ReadRequest.read(message);
    } catch (MalformedMessageException e) {
      throw HttpError.badRequest("the body is not a read request: " + e.getMessage());
    }
    Dataset dataset = context.dataset(exchange);
    context.query(
        exchange,
        dataset,
        Prometheus.NAME,
        words(request),
        use -> {
          SelectedSeries selected = new SelectedSeries(dataset, use);
          if (request.streamed()) {
            stream(exchange, request, selected, use);
          } else {
            samples(exchange, request, selected, use);
          }
        });
  }

  /** Returns the text under which a read is listed. */
  private static String words(ReadRequest request) {
    StringBuilder words = new StringBuilder("read");
    for (ReadRequest.Query query : request.queries()) {
      Scan scan =
          new Scan(query.matchers(), query.from(), query.to(), Projection.ALL, null, Scan.Used.ALL);
      words.append(' ').append(PlanWords.selector(scan));
    }
    return words.toString();
  }

  /*
   *   ReadResponse { repeated QueryResult results = 1; }   QueryResult { repeated TimeSeries timeseries = 1; }
   *   TimeSeries { repeated Label labels = 1; repeated Sample samples = 2; }
   *   Label { string name = 1; string value = 2; }         Sample { double value = 1; int64 timestamp = 2; }
   */
  private static void samples(
      Exchange exchange, ReadRequest request, SelectedSeries selected, QueryUse use)
      throws IOException {
    WireWriter response = new WireWriter();
    for (ReadRequest.Query query : request.queries()) {
      WireWriter result = new WireWriter();
      each(
          query,
          selected,
          (labels, times, values, size) -> {
            WireWriter series = new WireWriter();
            labels(labels, series);
            for (int i = 0; i < size; i++) {
              if (i % SAMPLES_BETWEEN_LOOKS == 0) {
                use.ensureWanted();
              }
              series.head(2, 1 + Double.BYTES + 1 + WireWriter.varintSize(times[i]));
              series.real(1, values[i]).varint(2, times[i]);
            }
            // Three copies: the series, the message that contains it and the compressed message.
            use.memory().hold(3L * series.size(), HELD + " in one message");
            result.message(1, series);
          });
      response.message(1, result);
    }
    byte[] compressed = SnappyBlock.pack(response.toBytes(), use::ensureWanted);
    exchange.header("Content-Encoding", "snappy");
    try (OutputStream out = exchange.answer("application/x-protobuf")) {
      out.write(compressed);
    }
  }

  static void labels(Labels labels, WireWriter series) {
    labels.forEach(
        (name, value) -> series.message(1, new WireWriter().text(1, name).text(2, value)));
  }

  private static void each(
      ReadRequest.Query query, SelectedSeries selected, SelectedSeries.Sink sink) {
    if (query.onlySeries()) {
      try (Stream<Labels> all = selected.labels(query.matchers(), query.from(), query.to())) {
        all.forEach(labels -> sink.series(labels, new long[0], new double[0], 0));
      }
    } else {
      selected.read(query.matchers(), query.from(), query.to(), sink);
    }
  }

  private static void stream(
      Exchange exchange, ReadRequest request, SelectedSeries selected, QueryUse use)
      throws IOException {
    try (OutputStream out =
        exchange.answer("application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse")) {
      for (int i = 0; i < request.queries().size(); i++) {
        ReadRequest.Query query = request.queries().get(i);
        ChunkFrames frames = new ChunkFrames(i);
        if (comesInOrder(query, selected)) {
          each(query, selected, new InOrder(frames, out));
        } else {
          sorted(query, selected, frames, out, use);
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /**
   * Returns whether the catalog returns the series in the order in which they must be sent. It
   * nearly always does; the orders differ only if some label names sort before {@code __name__}.
   */
  private static boolean comesInOrder(ReadRequest.Query query, SelectedSeries selected) {
    try (Stream<Labels> all = selected.labels(query.matchers(), query.from(), query.to())) {
      Labels last = null;
      for (Iterator<Labels> i = all.iterator(); i.hasNext(); ) {
        Labels next = i.next();
        if (last != null && last.compareTo(next) > 0) {
          return false;
        }
        last = next;
      }
      return true;
    }
  }

  /** Sends series as they arrive. */
  private static final class InOrder implements SelectedSeries.Sink {
    private final ChunkFrames frames;
    private final OutputStream out;
    private @Nullable Labels last;

    InOrder(ChunkFrames frames, OutputStream out) {
      this.frames = frames;
      this.out = out;
    }

    @Override
    public void series(Labels labels, long[] times, double[] values, int size) {
      if (last != null && last.compareTo(labels) > 0) {
        // The series was added after the order was checked.
        throw new QueryRefusedException(
            "a series was added during the read and would be out of order; try again");
      }
      last = labels;
      frames.write(labels, times, values, size, bytes -> write(bytes, out));
    }
  }

  private static void sorted(
      ReadRequest.Query query,
      SelectedSeries selected,
      ChunkFrames frames,
      OutputStream out,
      QueryUse use) {
    Map<Labels, ByteArrayOutputStream> held = new TreeMap<>();
    each(
        query,
        selected,
        (labels, times, values, size) -> {
          ByteArrayOutputStream series =
              held.computeIfAbsent(labels, l -> new ByteArrayOutputStream());
          frames.write(
              labels,
              times,
              values,
              size,
              bytes -> {
                use.ensureWanted();
                use.memory().hold(bytes.length, HELD + " whose series have to be put in order");
                series.writeBytes(bytes);
              });
        });
    held.values().forEach(series -> write(series.toByteArray(), out));
  }

  private static void write(byte[] bytes, OutputStream out) {
    try {
      out.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
