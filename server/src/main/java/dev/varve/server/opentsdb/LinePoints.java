package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.WriteResult.Rejection;
import dev.varve.model.Attribute;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.model.Value;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Caller;
import dev.varve.server.http.WriteBudget.Reservation;
import dev.varve.server.ingest.Intake;
import dev.varve.server.opentsdb.DataPoint.RolledUp;
import dev.varve.server.opentsdb.histogram.HistogramText;
import dev.varve.server.opentsdb.histogram.Histograms;
import dev.varve.server.opentsdb.histogram.SimpleHistogram;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The points of telnet's {@code rollup} and {@code histogram}, which go to several datasets, until
 * they are written. For one thread.
 */
final class LinePoints {
  private final DialectContext context;
  private final Reservation memory;
  private final Map<String, Pending> pending = new LinkedHashMap<>();

  private record Pending(Dataset dataset, BatchBuilder batch) {}

  LinePoints(DialectContext context, Reservation memory) {
    this.context = context;
    this.memory = memory;
  }

  /**
   * Adds a point: {@code rollup INTERVAL-AGGREGATOR[:AGGREGATOR] METRIC TIME VALUE TAG=VALUE ...},
   * or with the aggregator over series alone.
   *
   * @throws BadPointException if the line is invalid
   */
  void rollup(Caller sender, String line) {
    Dataset dataset = context.defaultDataset(sender);
    RollupPoints form = new RollupPoints(dataset, Queries.rollups(context, sender, dataset));
    add(form.placeLine(rolledUp(line)));
  }

  private void add(PointForm.Placed placed) {
    BatchBuilder batch =
        pending
            .computeIfAbsent(
                placed.dataset().name(),
                name -> new Pending(placed.dataset(), new BatchBuilder(memory::hold)))
            .batch();
    String field = placed.field();
    long millis = placed.millis();
    switch (placed.value()) {
      case PointValue.Whole(long number) -> batch.group(placed.key()).add(field, millis, number);
      case PointValue.Real(double number) -> batch.group(placed.key()).add(field, millis, number);
      case PointValue.Text(String text) -> batch.group(placed.key()).add(field, millis, text);
      case PointValue.Noted(String name, Bytes bytes) ->
          batch.add(
              new Attribute(
                  placed.key(),
                  name,
                  Resolution.MILLISECONDS.convert(placed.millis(), placed.dataset().resolution()),
                  new Value.Raw(bytes)));
    }
  }

  /**
   * Adds a histogram: {@code histogram METRIC TIME [ID] VALUE TAG=VALUE ...}. With the number of
   * its codec the value is in Base64, otherwise {@code u=1:o=2:0,1.5=3}.
   *
   * @throws BadPointException if the line is invalid
   */
  void histogram(Caller sender, String line) {
    Dataset dataset = context.defaultDataset(sender);
    Histograms histograms = Queries.histograms(context, sender, dataset);
    if (histograms.codec() == null) {
      throw BadPointException.of(
          "illegal argument: Histogram storage has not been enabled. Check the 'histograms' of the"
              + " dataset.");
    }
    List<String> words = words(line, LineFault::ofHistogram);
    boolean encoded = words.get(3).matches("[+-]?[0-9]{1,9}");
    DataPoint point =
        new DataPoint(
            words.get(1),
            time(words.get(2)),
            null,
            tags(words.subList(encoded ? 5 : 4, words.size())),
            null,
            null);
    HistogramPoints form = new HistogramPoints(dataset, histograms);
    if (encoded && Integer.parseInt(words.get(3)) != histograms.codec()) {
      throw BadPointException.of("HBase error: No codec found mapped to ID " + words.get(3));
    }
    try {
      SimpleHistogram read =
          encoded
              ? form.encoded(Integer.parseInt(words.get(3)), words.get(4))
              : HistogramText.of(words.get(3));
      if (words.size() == (encoded ? 5 : 4)) {
        throw BadPointException.of("HBase error: " + LineFault.withoutTags(words.get(1)));
      }
      add(form.placed(point, read));
    } catch (NumberFormatException e) {
      throw new BadPointException(point, "", "invalid value: " + e.getMessage());
    } catch (IllegalArgumentException e) {
      throw new BadPointException(point, String.valueOf(e.getMessage()));
    }
  }

  /**
   * Returns the words of a line.
   *
   * @param faults returns the error of a line; null for none
   */
  private static List<String> words(String line, Function<String, @Nullable String> faults) {
    List<String> words = Stream.of(line.split("[ \t]+")).filter(word -> !word.isEmpty()).toList();
    String fault = faults.apply(line.replace('\t', ' '));
    if (fault != null) {
      throw BadPointException.of(fault);
    }
    return words;
  }

  private static DataPoint rolledUp(String line) {
    List<String> words = words(line, LineFault::ofRollup);
    String[] parts = words.get(1).split(":", -1);
    int dash = parts[0].indexOf('-');
    String interval = dash < 0 ? null : parts[0].substring(0, dash);
    String by = parts.length > 1 ? parts[1] : dash < 0 ? parts[0] : null;
    String aggregator = dash < 0 ? by : parts[0].substring(dash + 1);
    Map<String, @Nullable String> tags = tags(words.subList(5, words.size()));
    if (dash == 0 && by == null) {
      throw BadPointException.of(
          tags.isEmpty()
              ? "illegal argument: " + LineFault.withoutTags(words.get(2))
              : "HBase error: Interval cannot be null for a non-group by point");
    }
    return new DataPoint(
        words.get(2),
        time(words.get(3)),
        words.get(4),
        tags,
        new RolledUp(interval, aggregator, by),
        null);
  }

  /** Returns a time; the point between seconds and milliseconds is removed. */
  private static long time(String word) {
    return Long.parseLong(word.replace(".", ""));
  }

  private static Map<String, @Nullable String> tags(List<String> words) {
    Map<String, @Nullable String> tags = new LinkedHashMap<>();
    for (String word : words) {
      int equals = word.indexOf('=');
      tags.put(word.substring(0, equals), word.substring(equals + 1));
    }
    return tags;
  }

  boolean isEmpty() {
    return pending.isEmpty();
  }

  /**
   * Writes all points.
   *
   * @param refusals receives why points were refused
   * @throws dev.varve.engine.error.OverloadedException if the engine is overloaded
   * @throws dev.varve.engine.error.WriteFailedException if a store failed
   */
  void write(List<String> refusals) {
    try {
      for (Pending one : pending.values()) {
        Intake intake = new Intake(one.dataset(), Telnet.NAME, context.ingest());
        long bytes = one.batch().byteCount();
        try {
          intake.write(one.batch().build(), false);
        } finally {
          memory.letGo(bytes);
        }
        for (Rejection rejection : intake.rejections()) {
          refusals.add("%s: %s".formatted(rejection.key(), rejection.refusal().message()));
        }
      }
    } finally {
      // What was built holds nothing any more.
      pending.values().forEach(one -> memory.letGo(one.batch().byteCount()));
      pending.clear();
    }
  }
}
