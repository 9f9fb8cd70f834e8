package dev.varve.server.kairosdb;

import dev.varve.engine.Dataset;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.request.WriteResult.Rejection;
import dev.varve.model.BatchBuilder;
import dev.varve.model.BatchBuilder.GroupBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.query.ResultSeries;
import dev.varve.query.ResultSink;
import dev.varve.server.ingest.Intake;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes the points that reach one {@code save_as} of a query. Gaps are not points. */
final class SavedPoints implements ResultSink {
  private final SaveAs target;
  private final String from;
  private final List<String> grouped;
  private final Dataset dataset;
  private final Intake intake;
  private final BatchBuilder batch;
  private @Nullable ResultSeries series;
  private @Nullable GroupKey key;
  private long written;
  private long ttlIgnored;

  /**
   * Creates a writer.
   *
   * @param from the metric that is read
   * @param grouped tags by which the results are grouped
   */
  SavedPoints(SaveAs target, String from, List<String> grouped, Dataset dataset, Intake intake) {
    this.target = target;
    this.from = from;
    this.grouped = grouped;
    this.dataset = dataset;
    this.intake = intake;
    this.batch = intake.newBatch();
  }

  @Override
  public void begin(ResultSeries one) {
    series = one;
    key = null;
  }

  @Override
  public void samples(Samples samples, int first, int end) {
    for (int at = first; at < end; ) {
      int room = Math.min(end, at + Intake.BATCH - batch.sampleCount());
      GroupBuilder group = batch.group(key());
      for (; at < room; at++) {
        add(group, samples, at);
      }
      if (intake.isFull(batch)) {
        flush();
      }
    }
    written += end - first;
  }

  private GroupKey key() {
    GroupKey known = key;
    if (known == null) {
      known = target.key(from, grouped, Objects.requireNonNull(series));
      key = known;
    }
    return known;
  }

  private void add(GroupBuilder group, Samples samples, int index) {
    long time = dataset.resolution().convert(samples.time(index), Resolution.MILLISECONDS);
    switch (samples.kind()) {
      case INT64 -> group.add(Series.DEFAULT_FIELD, time, samples.longAt(index));
      case DOUBLE -> group.add(Series.DEFAULT_FIELD, time, samples.doubleAt(index));
      case STRING ->
          group.add(
              Series.DEFAULT_FIELD,
              time,
              Arrays.copyOfRange(samples.text(), samples.textStart(index), samples.textEnd(index)));
    }
  }

  @Override
  public void gap(long time) {}

  @Override
  public void end() {}

  /** Returns the number of points given to the dataset so far. */
  long written() {
    return written;
  }

  /** Returns the number of points whose lifetime the dataset does not support. */
  long ttlIgnored() {
    return ttlIgnored;
  }

  /**
   * Writes what is left, and returns once everything is durable.
   *
   * @throws QueryRefusedException if the dataset refused points
   * @throws dev.varve.engine.error.WriteFailedException if a store failed
   */
  void finish() {
    flush();
    if (intake.refused() > 0) {
      Rejection first = intake.rejections().getFirst();
      throw new QueryRefusedException(
          "save_as wrote '%s' without %,d of %,d points; the first: %s: %s"
              .formatted(
                  target.metric(),
                  intake.refused(),
                  written,
                  first.key(),
                  first.refusal().message()));
    }
  }

  private void flush() {
    if (batch.isEmpty()) {
      return;
    }
    boolean lasting = target.ttl() == 0 || !intake.endsSamples();
    if (lasting && target.ttl() != 0) {
      ttlIgnored += batch.sampleCount();
    }
    intake.write(batch, false, lasting ? null : Duration.ofSeconds(target.ttl()));
  }
}
