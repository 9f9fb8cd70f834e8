package dev.varve.server.prometheus;

import dev.varve.model.BatchBuilder;
import dev.varve.model.BatchBuilder.GroupBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.server.ingest.Intake;
import dev.varve.server.protobuf.MalformedMessageException;
import dev.varve.server.protobuf.WireReader;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the messages of remote write, and hands their samples on batch by batch. */
final class WriteRequestReader {
  /** The bits of the value that says that a series has ended. */
  private static final long STALE_BITS = 0x7ff0000000000002L;

  private final Intake intake;
  private final boolean holdsMarkers;
  private final BatchBuilder batch = new BatchBuilder();
  private final Set<String> reasons = new LinkedHashSet<>();
  private long refused;

  /**
   * @param holdsMarkers whether every layout can hold the value that says that a series has ended;
   *     else it is left out
   */
  WriteRequestReader(Intake intake, boolean holdsMarkers) {
    this.intake = intake;
    this.holdsMarkers = holdsMarkers;
  }

  /** How many samples and histograms were not handed on. */
  long refused() {
    return refused;
  }

  Set<String> reasons() {
    return reasons;
  }

  /*
   *   WriteRequest { repeated TimeSeries timeseries = 1; repeated MetricMetadata metadata = 3; }
   *   TimeSeries { repeated Label labels = 1; repeated Sample samples = 2; exemplars = 3; histograms = 4; }
   *   Label { string name = 1; string value = 2; }   Sample { double value = 1; int64 timestamp = 2; }
   */
  void readFirst(byte[] bytes) {
    WireReader request = new WireReader(bytes);
    while (request.next()) {
      if (request.field() == 1) {
        readSeries(request.message());
        writeIfFull();
      } else {
        request.skip();
      }
    }
    write();
  }

  private void readSeries(WireReader series) {
    Map<String, String> labels = new TreeMap<>();
    List<WireReader> samples = new ArrayList<>();
    int histograms = 0;
    while (series.next()) {
      switch (series.field()) {
        case 1 -> readLabel(series.message(), labels);
        case 2 -> samples.add(series.message());
        case 4 -> {
          histograms++;
          series.skip();
        }
        default -> series.skip();
      }
    }
    add(labels, samples, histograms);
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
    if (labels.put(name, value) != null) {
      throw new MalformedMessageException("a series has the label '%s' twice".formatted(name));
    }
  }

  /*
   *   Request { repeated string symbols = 4; repeated TimeSeries timeseries = 5; }
   *   TimeSeries { repeated uint32 labels_refs = 1; repeated Sample samples = 2; histograms = 3; exemplars = 4; metadata = 5; }
   */
  void readSecond(byte[] bytes) {
    List<String> symbols = new ArrayList<>();
    List<WireReader> series = new ArrayList<>();
    WireReader request = new WireReader(bytes);
    while (request.next()) {
      switch (request.field()) {
        case 4 -> symbols.add(request.text());
        case 5 -> series.add(request.message());
        default -> request.skip();
      }
    }
    if (!symbols.isEmpty() && !symbols.getFirst().isEmpty()) {
      throw new MalformedMessageException("the first symbol is not empty");
    }
    for (WireReader one : series) {
      readSeries(one, symbols);
      writeIfFull();
    }
    write();
  }

  private void readSeries(WireReader series, List<String> symbols) {
    List<String> words = new ArrayList<>();
    List<WireReader> samples = new ArrayList<>();
    int histograms = 0;
    while (series.next()) {
      switch (series.field()) {
        case 1 -> series.eachVarint(reference -> words.add(symbol(symbols, reference)));
        case 2 -> samples.add(series.message());
        case 3 -> {
          histograms++;
          series.skip();
        }
        default -> series.skip();
      }
    }
    if (words.size() % 2 != 0) {
      throw new MalformedMessageException("a series has a label without a value");
    }
    Map<String, String> labels = new TreeMap<>();
    for (int i = 0; i < words.size(); i += 2) {
      if (labels.put(words.get(i), words.get(i + 1)) != null) {
        throw new MalformedMessageException(
            "a series has the label '%s' twice".formatted(words.get(i)));
      }
    }
    add(labels, samples, histograms);
  }

  private static String symbol(List<String> symbols, long reference) {
    if (reference < 0 || reference >= symbols.size()) {
      throw new MalformedMessageException(
          "symbol %d of %d is named".formatted(reference, symbols.size()));
    }
    return symbols.get((int) reference);
  }

  private void add(Map<String, String> labels, List<WireReader> samples, int histograms) {
    if (histograms > 0) {
      refuse(histograms, labels, "native histograms are not held");
    }
    if (samples.isEmpty()) {
      return;
    }
    GroupKey key = key(labels);
    if (key == null) {
      refuse(samples.size(), labels, "a series without a name, __name__");
      return;
    }
    GroupBuilder group = batch.group(key);
    samples.forEach(sample -> readSample(sample, group));
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
    if (holdsMarkers || Double.doubleToRawLongBits(value) != STALE_BITS) {
      group.add(Series.DEFAULT_FIELD, time, value);
    }
  }

  private void refuse(int count, Map<String, String> labels, String reason) {
    refused += count;
    if (reasons.size() < 10) {
      reasons.add(labels + ": " + reason);
    }
  }

  private void writeIfFull() {
    if (batch.sampleCount() >= Intake.BATCH) {
      write();
    }
  }

  private void write() {
    if (!batch.isEmpty()) {
      intake.write(batch.build(), false);
    }
  }
}
