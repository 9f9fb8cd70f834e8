package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.model.Bytes;
import dev.varve.model.Series;
import dev.varve.server.opentsdb.DataPoint.Counted;
import dev.varve.server.opentsdb.histogram.HistogramText;
import dev.varve.server.opentsdb.histogram.Histograms;
import dev.varve.server.opentsdb.histogram.SimpleHistogram;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The points of {@code /api/histogram}: buckets with counts, or bytes of the codec in Base64. */
record HistogramPoints(Dataset dataset, Histograms histograms) implements PointForm {
  private static final long LAST_MILLISECOND = 9_999_999_999_999L;
  private static final int CODEC_MAX = 255;

  @Override
  public Kind kind() {
    return Kind.HISTOGRAM;
  }

  @Override
  public Placed place(DataPoint point) {
    Counted counted = point.counted() == null ? Counted.NONE : point.counted();
    String wrong = PointForm.missing(point, false);
    if (wrong == null && !point.hasValue()) {
      wrong =
          counted.buckets() == null || counted.buckets().isEmpty()
              ? "Histogram buckets cannot be null or empty if 'value' is empty."
              : null;
    } else if (wrong == null && (counted.id() < 0 || counted.id() > CODEC_MAX)) {
      wrong = "Invalid type. Must be from 0 to 255.";
    }
    if (wrong != null) {
      throw new BadPointException(point, wrong);
    }
    try {
      String value = point.value();
      return placed(
          point,
          point.hasValue() && value != null ? encoded(counted.id(), value) : counts(counted));
    } catch (NumberFormatException e) {
      throw new BadPointException(point, "Unable to parse value to a number");
    } catch (IllegalArgumentException e) {
      throw new BadPointException(point, String.valueOf(e.getMessage()));
    }
  }

  /** Returns a histogram with the place where it is stored. */
  Placed placed(DataPoint point, SimpleHistogram histogram) {
    Integer codec = histograms.codec();
    if (codec == null) {
      throw new BadPointException(point, "Histogram storage has not been enabled.");
    }
    long time = point.timestamp();
    if (time > LAST_MILLISECOND) {
      throw new BadPointException(
          point,
          "bad timestamp=%d when trying to add a histogram to metric=%s, tags=%s"
              .formatted(time, point.metric(), point.tags()));
    }
    byte[] stored = histogram.stored(codec);
    return new Placed(
        histograms.kept(),
        point,
        PointForm.key(point),
        Series.DEFAULT_FIELD,
        time > LAST_SECOND ? time : 1000 * time,
        histograms.areAttributes()
            ? new PointValue.Noted(Histograms.ATTRIBUTE, Bytes.of(stored))
            : new PointValue.Text(Base64.getEncoder().encodeToString(stored)));
  }

  private static SimpleHistogram counts(Counted counted) {
    Map<String, @Nullable Long> buckets = counted.buckets();
    return HistogramText.of(
        buckets == null ? Map.of() : buckets, counted.underflow(), counted.overflow());
  }

  /**
   * Reads a histogram in Base64.
   *
   * @throws IllegalArgumentException with OpenTSDB's message if the text is not a histogram, or of
   *     another codec
   */
  SimpleHistogram encoded(int id, String value) {
    Integer codec = histograms.codec();
    if (codec == null || id != codec) {
      throw new IllegalArgumentException("No codec found mapped to ID " + id);
    }
    return SimpleHistogram.read(Base64.getMimeDecoder().decode(value));
  }
}
