package dev.varve.server.prometheus;

import dev.varve.formats.protobuf.MalformedMessageException;
import dev.varve.formats.protobuf.WireReader;
import dev.varve.model.GroupKey;
import dev.varve.model.MetricMetadata;
import dev.varve.server.ingest.Intake;
import dev.varve.server.ingest.KnownKeys;
import dev.varve.server.prometheus.RemoteWriteIntake.Unstored;

/** Reads messages of remote write 1.0. */
final class RemoteWrite1Reader {
  /*
   *   WriteRequest { repeated TimeSeries timeseries = 1; repeated MetricMetadata metadata = 3; }
   *   MetricMetadata { MetricType type = 1; string metric_family_name = 2; string help = 4; string unit = 5; }
   *   TimeSeries { repeated Label labels = 1; repeated Sample samples = 2; exemplars = 3; histograms = 4; }
   *   Label { string name = 1; string value = 2; }   Sample { double value = 1; int64 timestamp = 2; }
   */
  private static final Unstored UNSTORED = new Unstored(4, 3);

  private final Intake intake;
  private final KnownKeys known;
  private final RemoteWriteIntake into;

  /**
   * @param known keys of series that earlier messages contained
   * @param into receives what is read
   */
  RemoteWrite1Reader(Intake intake, KnownKeys known, RemoteWriteIntake into) {
    this.intake = intake;
    this.known = known;
    this.into = into;
  }

  /**
   * Reads and writes a message.
   *
   * @throws MalformedMessageException if it is malformed outside its series; what was read before
   *     is not written yet
   */
  void read(byte[] bytes, int length) {
    WireReader request = new WireReader(bytes, length);
    while (request.next()) {
      switch (request.field()) {
        case 1 -> {
          int from = request.passMessage();
          int to = request.position();
          if (!into.readKnown(bytes, from, to)) {
            WireReader series = new WireReader(bytes, from, to);
            into.readSeries(series, UNSTORED, () -> readSeries(bytes, series));
          }
        }
        case 3 -> readMetadata(request.message());
        default -> request.skip();
      }
    }
    into.write();
  }

  private void readSeries(byte[] message, WireReader series) {
    int from = series.position();
    int to = endOfLabels(series.again());
    KnownKeys.Known before = to < 0 ? null : known.find(intake.dataset(), message, from, to);
    GroupKey held = before == null ? null : before.key();
    if (held != null) {
      into.add(held, held, series, UNSTORED);
      return;
    }
    SentLabels labels = labels(series.again());
    GroupKey key = labels.takeKey();
    if (key != null && to >= 0) {
      known.remember(intake.dataset(), message, from, to, key);
    }
    into.add(key, labels, series, UNSTORED);
  }

  /**
   * Returns the position after the labels of a series if the series begins with all of them, as
   * senders write it; -1 otherwise.
   */
  private static int endOfLabels(WireReader series) {
    int end = series.position();
    boolean isPastLabels = false;
    while (series.next()) {
      boolean isLabel = series.field() == 1;
      if (isLabel && isPastLabels) {
        return -1;
      }
      series.skip();
      isPastLabels |= !isLabel;
      end = isLabel ? series.position() : end;
    }
    return end;
  }

  private SentLabels labels(WireReader series) {
    SentLabels labels = new SentLabels();
    while (series.next()) {
      if (series.field() == 1) {
        into.holdLabels(
            RemoteWriteIntake.LABEL_BYTES
                + (long) RemoteWriteIntake.HEAP_PER_BYTE * series.lengthAhead());
        readLabel(series.message(), labels);
      } else {
        series.skip();
      }
    }
    return labels;
  }

  private static void readLabel(WireReader label, SentLabels labels) {
    String name = "";
    String value = "";
    while (label.next()) {
      switch (label.field()) {
        case 1 -> name = label.text();
        case 2 -> value = label.text();
        default -> label.skip();
      }
    }
    labels.add(name, value);
  }

  private void readMetadata(WireReader message) {
    into.holdMetadata((long) RemoteWriteIntake.HEAP_PER_BYTE * message.left());
    String metric = "";
    String type = MetricMetadata.UNKNOWN;
    String unit = "";
    String help = "";
    while (message.next()) {
      switch (message.field()) {
        case 1 -> type = MetricTypes.name(message.varint());
        case 2 -> metric = message.text();
        case 4 -> help = message.text();
        case 5 -> unit = message.text();
        default -> message.skip();
      }
    }
    into.describe(new MetricMetadata(metric, type, unit, help));
  }
}
