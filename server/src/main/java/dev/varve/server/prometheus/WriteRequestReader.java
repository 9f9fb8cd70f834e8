package dev.varve.server.prometheus;

import dev.varve.engine.write.SampleBatch;
import dev.varve.formats.protobuf.MalformedMessageException;
import dev.varve.formats.protobuf.WireReader;
import dev.varve.model.BatchBuilder;
import dev.varve.model.BatchBuilder.GroupBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.MetricMetadata;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.model.StaleMarker;
import dev.varve.model.Tags;
import dev.varve.server.http.HeldPart;
import dev.varve.server.http.WriteBudget.Reservation;
import dev.varve.server.ingest.Intake;
import dev.varve.server.ingest.KnownKeys;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads remote write messages and writes their samples in batches. */
final class WriteRequestReader {
  private static final int REASONS_MAX = 10;
  private static final int SYMBOLS_MAX = 1 << 22;

  /** Maximum memory for a text while it is decoded, per encoded byte. */
  private static final int MEMORY_PER_BYTE = 4;

  private static final int LABEL_BYTES = 160;
  private static final int SYMBOL_BYTES = 64;
  private static final int METADATA_BYTES = 200;

  /** Metric types by number, the same in both versions. */
  private static final List<String> TYPES =
      List.of(
          MetricMetadata.UNKNOWN,
          "counter",
          "gauge",
          "histogram",
          "gaugehistogram",
          "summary",
          "info",
          "stateset");

  /** Suffixes that the series of a histogram or summary add to the name of their family. */
  private static final List<String> SUFFIXES = List.of("_bucket", "_count", "_sum");

  /**
   * Field numbers, within a series, of what is not stored.
   *
   * @param histograms native histograms, which are rejected
   * @param exemplars which are ignored
   */
  private record Places(int histograms, int exemplars) {}

  private static final Places FIRST = new Places(4, 3);
  private static final Places SECOND = new Places(3, 4);

  private final Intake intake;
  private final KnownKeys known;

  /** Reads known series without their labels; null if the dataset gives no handles. */
  private final @Nullable KnownSamples samples;

  private final boolean holdsMarkers;
  private final BatchBuilder batch;

  /** Memory of the current series' labels until they are a key of the batch. */
  private final HeldPart ofSeries;

  /** Memory of metadata until it is written. */
  private final HeldPart ofMetadata;

  private final Map<String, MetricMetadata> metadata = new LinkedHashMap<>();
  private final Set<String> reasons = new LinkedHashSet<>();
  private long refused;
  private long markersLeftOut;

  /** Number of samples and histograms read from the current series. */
  private long readOfSeries;

  private long exemplars;

  /**
   * @param known keys of series that earlier messages contained
   * @param holdsMarkers whether every layout can hold staleness markers; if not, they are left out
   */
  WriteRequestReader(Intake intake, KnownKeys known, boolean holdsMarkers) {
    this.intake = intake;
    this.known = known;
    // Remote write counts times in milliseconds.
    boolean inMillis = intake.dataset().resolution() == Resolution.MILLISECONDS;
    SampleBatch byHandle = inMillis ? intake.newSamples() : null;
    this.samples = byHandle == null ? null : new KnownSamples(intake, known, byHandle);
    this.batch = intake.newBatch();
    this.ofSeries = new HeldPart(intake.memory());
    this.ofMetadata = new HeldPart(intake.memory());
    this.holdsMarkers = holdsMarkers;
  }

  /** Returns the number of rejected samples and histograms. */
  long refused() {
    return refused;
  }

  /** Returns the number of staleness markers left out because the layouts cannot hold them. */
  long markersLeftOut() {
    return markersLeftOut;
  }

  /** Returns the number of exemplars in valid series; exemplars are never stored. */
  long exemplars() {
    return exemplars;
  }

  Set<String> reasons() {
    return reasons;
  }

  /*
   *   WriteRequest { repeated TimeSeries timeseries = 1; repeated MetricMetadata metadata = 3; }
   *   MetricMetadata { MetricType type = 1; string metric_family_name = 2; string help = 4; string unit = 5; }
   *   TimeSeries { repeated Label labels = 1; repeated Sample samples = 2; exemplars = 3; histograms = 4; }
   *   Label { string name = 1; string value = 2; }   Sample { double value = 1; int64 timestamp = 2; }
   */
  void readFirst(byte[] bytes, int length) {
    WireReader request = new WireReader(bytes, length);
    while (request.next()) {
      switch (request.field()) {
        case 1 -> {
          int from = request.passMessage();
          readEither(bytes, from, request.position());
        }
        case 3 -> readMetadata(request.message());
        default -> request.skip();
      }
    }
    write();
  }

  /** Reads a series of version 1, without its labels if possible. */
  private void readEither(byte[] message, int from, int to) {
    if (samples == null || !samples.read(message, from, to)) {
      readOne(message, new WireReader(message, from, to));
    } else if (samples.isFull()) {
      write();
    }
  }

  private void readMetadata(WireReader message) {
    ofMetadata.hold((long) MEMORY_PER_BYTE * message.left());
    String metric = "";
    String type = MetricMetadata.UNKNOWN;
    String unit = "";
    String help = "";
    while (message.next()) {
      switch (message.field()) {
        case 1 -> type = type(message.varint());
        case 2 -> metric = message.text();
        case 4 -> help = message.text();
        case 5 -> unit = message.text();
        default -> message.skip();
      }
    }
    describe(new MetricMetadata(metric, type, unit, help));
  }

  private static String type(long number) {
    return number < 0 || number >= TYPES.size() ? MetricMetadata.UNKNOWN : TYPES.get((int) number);
  }

  private void describe(MetricMetadata said) {
    ofMetadata.hold(METADATA_BYTES);
    metadata.put(said.metric(), said);
    if (metadata.size() >= Intake.BATCH) {
      write();
    }
  }

  /** Reads a series of version 1. */
  private void readOne(byte[] message, WireReader series) {
    readOne(
        series,
        FIRST,
        () -> {
          int from = series.position();
          int to = endOfLabels(series.again());
          KnownKeys.Known before = to < 0 ? null : known.find(intake.dataset(), message, from, to);
          GroupKey held = before == null ? null : before.key();
          if (held != null) {
            add(held, held, series, FIRST);
            return;
          }
          Map<String, String> labels = labels(series.again());
          GroupKey key = key(labels);
          if (key != null && to >= 0) {
            known.remember(intake.dataset(), message, from, to, key);
          }
          add(key, labels, series, FIRST);
        });
  }

  /** Reads a series of version 2. */
  private void readOne(WireReader series, List<String> symbols) {
    readOne(
        series,
        SECOND,
        () -> {
          Map<String, String> labels = labels(series.again(), symbols);
          String name = labels.get(Series.NAME_LABEL);
          if (name != null) {
            readMetadata(name, series.again(), symbols);
          }
          add(key(labels), labels, series, SECOND);
        });
  }

  /** Reads a series. A malformed series does not keep the others from being written. */
  private void readOne(WireReader series, Places places, Runnable read) {
    WireReader whole = series.again();
    readOfSeries = 0;
    try {
      read.run();
    } catch (MalformedMessageException e) {
      String reason = String.valueOf(e.getMessage());
      refuse(Intake.SYNTAX, Math.max(1, count(whole, places) - readOfSeries), () -> reason);
    }
    ofSeries.letGo();
    writeIfFull();
  }

  /**
   * Returns the position after the labels of a series if the series begins with all of them, as
   * senders write it; -1 otherwise.
   */
  private static int endOfLabels(WireReader series) {
    int end = series.position();
    boolean behind = false;
    while (series.next()) {
      boolean label = series.field() == 1;
      if (label && behind) {
        return -1;
      }
      series.skip();
      behind |= !label;
      end = label ? series.position() : end;
    }
    return end;
  }

  /** Counts the samples and histograms of a series up to the malformed part. */
  private static long count(WireReader series, Places places) {
    long count = 0;
    try {
      while (series.next()) {
        count += series.field() == 2 || series.field() == places.histograms() ? 1 : 0;
        series.skip();
      }
    } catch (MalformedMessageException e) {
      // The rest cannot be parsed.
      return count;
    }
    return count;
  }

  /** Reads the metadata in a series of version 2, which is kept for the metric's family. */
  private void readMetadata(String name, WireReader series, List<String> symbols) {
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
          case 1 -> type = type(message.varint());
          case 3 -> help = symbol(symbols, message.varint());
          case 4 -> unit = symbol(symbols, message.varint());
          default -> message.skip();
        }
      }
      if (!type.equals(MetricMetadata.UNKNOWN) || !help.isEmpty() || !unit.isEmpty()) {
        describe(new MetricMetadata(family(name, type), type, unit, help));
      }
    }
  }

  private static String family(String name, String type) {
    if (type.equals("histogram") || type.equals("summary")) {
      for (String suffix : SUFFIXES) {
        if (name.endsWith(suffix) && name.length() > suffix.length()) {
          return name.substring(0, name.length() - suffix.length());
        }
      }
    }
    return name;
  }

  private Map<String, String> labels(WireReader series) {
    Map<String, String> labels = new TreeMap<>();
    while (series.next()) {
      if (series.field() == 1) {
        ofSeries.hold(LABEL_BYTES + (long) MEMORY_PER_BYTE * series.lengthAhead());
        readLabel(series.message(), labels);
      } else {
        series.skip();
      }
    }
    return labels;
  }

  private static void readLabel(WireReader label, Map<String, String> labels) {
    String name = "";
    String value = "";
    while (label.next()) {
      switch (label.field()) {
        case 1 -> name = label.text();
        case 2 -> value = label.text();
        default -> label.skip();
      }
    }
    put(labels, name, value);
  }

  private static void put(Map<String, String> labels, String name, String value) {
    if (name.isEmpty()) {
      throw new MalformedMessageException("a series has a label without a name");
    }
    if (labels.put(name, value) != null) {
      throw new MalformedMessageException("a series has the label '%s' twice".formatted(name));
    }
  }

  /*
   *   Request { repeated string symbols = 4; repeated TimeSeries timeseries = 5; }
   *   TimeSeries { repeated uint32 labels_refs = 1; repeated Sample samples = 2; histograms = 3; exemplars = 4; metadata = 5; }
   *   Metadata { MetricType type = 1; uint32 help_ref = 3; uint32 unit_ref = 4; }
   */
  void readSecond(byte[] bytes, int length) {
    List<String> symbols = symbols(new WireReader(bytes, length), intake.memory());
    WireReader request = new WireReader(bytes, length);
    while (request.next()) {
      if (request.field() == 5) {
        readOne(request.message(), symbols);
      } else {
        request.skip();
      }
    }
    write();
  }

  /** Reads the symbols. Their memory is held until the request ends. */
  private static List<String> symbols(WireReader request, Reservation memory) {
    List<String> symbols = new ArrayList<>();
    while (request.next()) {
      if (request.field() != 4) {
        request.skip();
      } else if (symbols.size() == SYMBOLS_MAX) {
        throw new MalformedMessageException("more than %,d symbols".formatted(SYMBOLS_MAX));
      } else {
        memory.hold(SYMBOL_BYTES + (long) MEMORY_PER_BYTE * request.lengthAhead());
        symbols.add(request.text());
      }
    }
    if (!symbols.isEmpty() && !symbols.getFirst().isEmpty()) {
      throw new MalformedMessageException("the first symbol is not empty");
    }
    return symbols;
  }

  private Map<String, String> labels(WireReader series, List<String> symbols) {
    List<String> words = new ArrayList<>();
    while (series.next()) {
      if (series.field() == 1) {
        series.eachVarint(reference -> {
          ofSeries.hold(LABEL_BYTES / 2);
          words.add(symbol(symbols, reference));
        });
      } else {
        series.skip();
      }
    }
    if (words.size() % 2 != 0) {
      throw new MalformedMessageException("a series has a label without a value");
    }
    Map<String, String> labels = new TreeMap<>();
    for (int i = 0; i < words.size(); i += 2) {
      put(labels, words.get(i), words.get(i + 1));
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

  /**
   * Adds the samples of a series.
   *
   * @param key null if the labels contain no name
   * @param labels names the series in refusals if there is no key
   */
  private void add(@Nullable GroupKey key, Object labels, WireReader series, Places places) {
    Object named = key == null ? labels : key;
    while (series.next()) {
      if (series.field() == places.histograms()) {
        series.skip();
        readOfSeries++;
        refuse("histogram.native", 1, () -> named + ": native histograms are not supported");
      } else if (series.field() == places.exemplars()) {
        series.skip();
        exemplars += key == null ? 0 : 1;
      } else if (series.field() != 2) {
        series.skip();
      } else if (key == null) {
        series.skip();
        readOfSeries++;
        refuse("series.name", 1, () -> named + ": a series without a name, __name__");
      } else {
        readSample(series.message(), batch.group(key));
        readOfSeries++;
        writeIfFull();
      }
    }
  }

  private static @Nullable GroupKey key(Map<String, String> labels) {
    String metric = labels.remove(Series.NAME_LABEL);
    labels.values().removeIf(String::isEmpty);
    return metric == null || metric.isEmpty()
        ? null
        : new GroupKey(metric, Tags.of(labels), Tags.EMPTY);
  }

  private void readSample(WireReader sample, GroupBuilder group) {
    double value = 0;
    long time = 0;
    while (sample.next()) {
      switch (sample.field()) {
        case 1 -> value = sample.real();
        case 2 -> time = sample.varint();
        default -> sample.skip();
      }
    }
    if (!holdsMarkers && StaleMarker.is(value)) {
      markersLeftOut++;
    } else {
      group.add(Series.DEFAULT_FIELD, time, value);
    }
  }

  private void refuse(String rule, long count, Supplier<String> reason) {
    refused += count;
    intake.report(rule, count, reason);
    if (reasons.size() < REASONS_MAX) {
      reasons.add(reason.get());
    }
  }

  private void writeIfFull() {
    if (intake.isFull(batch)) {
      write();
    }
  }

  /** Ends the reader, which must not be used any more. */
  void release() {
    if (samples != null) {
      samples.release();
    }
  }

  /** Writes what was read since the last write. */
  void write() {
    // Samples of a series that had no handle when the message began are in the batch, later ones
    // have a handle: this order keeps the order of acceptance.
    if (!batch.isEmpty()) {
      intake.write(batch, false);
    }
    if (samples != null) {
      samples.write();
    }
    if (!metadata.isEmpty()) {
      intake.describe(metadata.values());
      metadata.clear();
      ofMetadata.letGo();
    }
  }
}
