package dev.varve.server.prometheus;

import dev.varve.engine.write.SampleBatch;
import dev.varve.engine.write.SeriesHandle;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Series;
import dev.varve.server.ingest.Door;
import dev.varve.server.ingest.Intake;
import dev.varve.server.ingest.KnownKeys;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Reads samples of known series of remote write 1.0 from their bytes into columns: no label is
 * decoded and no object made. It takes the form that senders use, all labels before all samples,
 * and leaves everything else to the {@link RemoteWrite1Reader}.
 */
final class KnownSamples {
  /** Tags of {@code TimeSeries.labels} and {@code TimeSeries.samples}. */
  private static final byte LABEL = 0x0a;

  private static final byte SAMPLE = 0x12;

  /** Tags of {@code Sample.value} and {@code Sample.timestamp}. */
  private static final byte VALUE = 0x09;

  private static final byte TIMESTAMP = 0x10;

  /** Labels name no field: samples are of the default field. */
  private static final byte[] NO_NAME = {};

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final Intake intake;
  private final KnownKeys known;
  private final SampleBatch samples;
  private KnownKeys.@Nullable Known before;

  KnownSamples(Intake intake, KnownKeys known, SampleBatch samples) {
    this.intake = intake;
    this.known = known;
    this.samples = samples;
  }

  /**
   * Reads a series.
   *
   * @param from index of its first byte
   * @param to index after its last byte
   * @return false if the series has to be read in another way; nothing was read then
   */
  boolean read(byte[] message, int from, int to) {
    KnownKeys.Known series = known.follower(before, intake.dataset(), message, from, to);
    int labels = series == null ? -1 : from + series.length();
    if (series == null || (labels < to && message[labels] == LABEL)) {
      labels = endOfLabels(message, from, to);
      if (labels <= from) {
        return false;
      }
      series = known.find(before, intake.dataset(), message, from, labels);
    }
    before = series;
    SeriesHandle handle = series == null ? null : handle(series);
    if (series == null || handle == null) {
      return false;
    }
    samples.begin(handle);
    if (!readSamples(message, labels, to)) {
      samples.undo();
      return false;
    }
    if (!samples.end()) {
      // The catalog has to be written first; afterwards there is another handle.
      series.forget();
      return false;
    }
    return true;
  }

  private @Nullable SeriesHandle handle(KnownKeys.Known series) {
    Door door = intake.door();
    SeriesHandle handle = series.handle(door, 0, NO_NAME, 0, 0, Kind.DOUBLE);
    GroupKey key = handle == null ? series.key() : null;
    if (key != null) {
      handle = intake.handle(key, Series.DEFAULT_FIELD, Kind.DOUBLE);
      if (handle != null && known.add(series, door, NO_NAME, handle)) {
        intake.handleKept(key, Series.DEFAULT_FIELD, Kind.DOUBLE);
      }
    }
    return handle;
  }

  /** Returns the index after the last label; -1 if the bytes are malformed or in another form. */
  private static int endOfLabels(byte[] message, int from, int to) {
    int at = from;
    while (at + 1 < to && message[at] == LABEL) {
      int length = message[at + 1];
      at += 2;
      if (length < 0) {
        if (at >= to || message[at] < 0) {
          return -1;
        }
        length = (length & 0x7f) | message[at++] << 7;
      }
      at += length;
    }
    return at > to ? -1 : at;
  }

  private boolean readSamples(byte[] message, int from, int to) {
    int at = from;
    while (at < to) {
      if (at + 2 > to || message[at] != SAMPLE || message[at + 1] < 0) {
        return false;
      }
      int end = at + 2 + message[at + 1];
      at += 2;
      // What proto3 leaves out is 0.
      long bits = 0;
      if (at + 9 <= end && end <= to && message[at] == VALUE) {
        bits = (long) LONG.get(message, at + 1);
        at += 9;
      }
      long time = 0;
      if (at < end && end <= to && message[at] == TIMESTAMP) {
        at++;
        int shift = 0;
        while (at < end && message[at] < 0 && shift < 63) {
          time |= (message[at++] & 0x7fL) << shift;
          shift += 7;
        }
        if (at == end || shift >= 63) {
          return false;
        }
        time |= (long) message[at++] << shift;
      }
      if (at != end) {
        return false;
      }
      samples.add(time, bits);
    }
    return true;
  }

  /** Returns whether there are enough samples to be written. */
  boolean isFull() {
    return samples.sampleCount() >= Intake.BATCH;
  }

  /** Writes what was read since the last write. */
  void write() {
    if (!samples.isEmpty()) {
      intake.write(samples);
    }
  }

  /** Returns the memory to its pool. The reader must not be used any more. */
  void release() {
    samples.release();
  }
}
