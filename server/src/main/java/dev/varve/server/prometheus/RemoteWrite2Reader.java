package dev.varve.server.prometheus;

import dev.varve.formats.protobuf.MalformedMessageException;
import dev.varve.formats.protobuf.WireReader;
import dev.varve.model.MetricMetadata;
import dev.varve.server.http.WriteBudget.Reservation;
import dev.varve.server.prometheus.RemoteWriteIntake.Unstored;
import java.util.ArrayList;
import java.util.List;

/** Reads messages of remote write 2.0, in which a table of symbols holds all texts. */
final class RemoteWrite2Reader {
  /*
   *   Request { repeated string symbols = 4; repeated TimeSeries timeseries = 5; }
   *   TimeSeries { repeated uint32 labels_refs = 1; repeated Sample samples = 2; histograms = 3; exemplars = 4; metadata = 5; }
   *   Metadata { MetricType type = 1; uint32 help_ref = 3; uint32 unit_ref = 4; }
   */
  private static final Unstored UNSTORED = new Unstored(3, 4);

  private static final int SYMBOLS_MAX = 1 << 22;

  /** Approximate heap bytes of a symbol, without its text. */
  private static final int SYMBOL_BYTES = 64;

  private final Reservation memory;
  private final RemoteWriteIntake into;

  /**
   * @param memory holds the symbols until the request ends
   * @param into receives what is read
   */
  RemoteWrite2Reader(Reservation memory, RemoteWriteIntake into) {
    this.memory = memory;
    this.into = into;
  }

  /**
   * Reads and writes a message.
   *
   * @throws MalformedMessageException if it is malformed outside its series; what was read before
   *     is not written yet
   */
  void read(byte[] bytes, int length) {
    List<String> symbols = symbols(new WireReader(bytes, length));
    WireReader request = new WireReader(bytes, length);
    while (request.next()) {
      if (request.field() == 5) {
        WireReader series = request.message();
        into.readSeries(series, UNSTORED, () -> readSeries(series, symbols));
      } else {
        request.skip();
      }
    }
    into.write();
  }

  private List<String> symbols(WireReader request) {
    List<String> symbols = new ArrayList<>();
    while (request.next()) {
      if (request.field() != 4) {
        request.skip();
      } else if (symbols.size() == SYMBOLS_MAX) {
        throw new MalformedMessageException("more than %,d symbols".formatted(SYMBOLS_MAX));
      } else {
        memory.hold(SYMBOL_BYTES + (long) RemoteWriteIntake.HEAP_PER_BYTE * request.lengthAhead());
        symbols.add(request.text());
      }
    }
    if (!symbols.isEmpty() && !symbols.getFirst().isEmpty()) {
      throw new MalformedMessageException("the first symbol is not empty");
    }
    return symbols;
  }

  private void readSeries(WireReader series, List<String> symbols) {
    SentLabels labels = labels(series.again(), symbols);
    String metric = labels.metric();
    if (metric != null) {
      readMetadata(metric, series.again(), symbols);
    }
    into.add(labels.takeKey(), labels, series, UNSTORED);
  }

  private SentLabels labels(WireReader series, List<String> symbols) {
    List<String> words = new ArrayList<>();
    while (series.next()) {
      if (series.field() == 1) {
        series.eachVarint(reference -> {
          into.holdLabels(RemoteWriteIntake.LABEL_BYTES / 2);
          words.add(symbol(symbols, reference));
        });
      } else {
        series.skip();
      }
    }
    if (words.size() % 2 != 0) {
      throw new MalformedMessageException("a series has a label without a value");
    }
    SentLabels labels = new SentLabels();
    for (int i = 0; i < words.size(); i += 2) {
      labels.add(words.get(i), words.get(i + 1));
    }
    return labels;
  }

  private static String symbol(List<String> symbols, long reference) {
    if (reference < 0 || reference >= symbols.size()) {
      throw new MalformedMessageException(
          "reference to symbol %d of %d".formatted(reference, symbols.size()));
    }
    return symbols.get((int) reference);
  }

  /** Reads the metadata in a series, which is kept for the family of its metric. */
  private void readMetadata(String metric, WireReader series, List<String> symbols) {
    while (series.next()) {
      if (series.field() != 5) {
        series.skip();
        continue;
      }
      WireReader message = series.message();
      String type = MetricMetadata.UNKNOWN;
      String unit = "";
      String help = "";
      while (message.next()) {
        switch (message.field()) {
          case 1 -> type = MetricTypes.name(message.varint());
          case 3 -> help = symbol(symbols, message.varint());
          case 4 -> unit = symbol(symbols, message.varint());
          default -> message.skip();
        }
      }
      if (!type.equals(MetricMetadata.UNKNOWN) || !help.isEmpty() || !unit.isEmpty()) {
        into.describe(new MetricMetadata(MetricTypes.family(metric, type), type, unit, help));
      }
    }
  }
}
