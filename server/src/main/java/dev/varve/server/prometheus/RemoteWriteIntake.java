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
import dev.varve.server.http.HeldPart;
import dev.varve.server.http.OverBudgetException;
import dev.varve.server.ingest.Intake;
import dev.varve.server.ingest.KnownKeys;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Collects the samples and metadata of a remote write message, of either version, and writes them
 * in batches. For one thread.
 */
final class RemoteWriteIntake {
  /** Maximum heap bytes of a text while it is decoded, per encoded byte. */
  static final int HEAP_PER_BYTE = 4;

  /** Approximate heap bytes of a label, without its texts. */
  static final int LABEL_BYTES = 160;

  private static final int METADATA_BYTES = 200;
  private static final int REASONS_MAX = 10;

  /** Field number of samples within a series, in both versions. */
  private static final int SAMPLES = 2;

  /**
   * Field numbers, within a series, of what is not stored.
   *
   * @param histograms native histograms, which are rejected
   * @param exemplars which are ignored
   */
  record Unstored(int histograms, int exemplars) {}

  private final Intake intake;

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
  RemoteWriteIntake(Intake intake, KnownKeys known, boolean holdsMarkers) {
    this.intake = intake;
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

  /** Returns the first reasons for rejections. */
  Set<String> reasons() {
    return reasons;
  }

  /**
   * Holds memory for the labels of the current series. Called before it is allocated.
   *
   * @throws OverBudgetException if there is no room
   */
  void holdLabels(long bytes) {
    ofSeries.hold(bytes);
  }

  /** Holds memory for metadata, as {@link #holdLabels}. */
  void holdMetadata(long bytes) {
    ofMetadata.hold(bytes);
  }

  /**
   * Reads a series of version 1.0 without its labels, if it is known.
   *
   * @param from index of its first byte
   * @param to index after its last byte
   * @return false if the series has to be read in another way; nothing was read then
   */
  boolean readKnown(byte[] message, int from, int to) {
    if (samples == null || !samples.read(message, from, to)) {
      return false;
    }
    if (samples.isFull()) {
      write();
    }
    return true;
  }

  /**
   * Reads a series. A malformed series does not keep the others from being written.
   *
   * @param read reads the series and {@linkplain #add adds} its samples
   */
  void readSeries(WireReader series, Unstored unstored, Runnable read) {
    WireReader whole = series.again();
    readOfSeries = 0;
    try {
      read.run();
    } catch (MalformedMessageException e) {
      String reason = String.valueOf(e.getMessage());
      refuse(Intake.SYNTAX, Math.max(1, count(whole, unstored) - readOfSeries), () -> reason);
    }
    ofSeries.letGo();
    writeIfFull();
  }

  /** Counts the samples and histograms of a series up to the malformed part. */
  private static long count(WireReader series, Unstored unstored) {
    long count = 0;
    try {
      while (series.next()) {
        count += series.field() == SAMPLES || series.field() == unstored.histograms() ? 1 : 0;
        series.skip();
      }
    } catch (MalformedMessageException e) {
      // The rest cannot be parsed.
      return count;
    }
    return count;
  }

  /**
   * Adds the samples of a series.
   *
   * @param key null if the labels contain no name
   * @param labels names the series in refusals if there is no key
   */
  void add(@Nullable GroupKey key, Object labels, WireReader series, Unstored unstored) {
    Object named = key == null ? labels : key;
    while (series.next()) {
      if (series.field() == unstored.histograms()) {
        series.skip();
        readOfSeries++;
        refuse("histogram.native", 1, () -> named + ": native histograms are not supported");
      } else if (series.field() == unstored.exemplars()) {
        series.skip();
        exemplars += key == null ? 0 : 1;
      } else if (series.field() != SAMPLES) {
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

  /** Adds the metadata of a metric; the last one of a message counts. */
  void describe(MetricMetadata sent) {
    ofMetadata.hold(METADATA_BYTES);
    metadata.put(sent.metric(), sent);
    if (metadata.size() >= Intake.BATCH) {
      write();
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

  /** Writes what was added since the last write. */
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

  /** Returns memory to its pool. The intake must not be used any more. */
  void release() {
    if (samples != null) {
      samples.release();
    }
  }
}
