package dev.varve.server.opentsdb.histogram;

import dev.varve.server.opentsdb.histogram.SimpleHistogram.Bucket;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Histograms as clients write them. */
public final class HistogramText {
  private HistogramText() {}

  /**
   * Reads buckets whose names are two bounds with a comma between them.
   *
   * @throws NumberFormatException if a bound is not a number
   * @throws IllegalArgumentException with OpenTSDB's message if there are other than two
   */
  public static SimpleHistogram of(
      Map<String, @Nullable Long> buckets, long underflow, long overflow) {
    SimpleHistogram read = new SimpleHistogram();
    read.put(underflow, overflow);
    for (Map.Entry<String, @Nullable Long> bucket : buckets.entrySet()) {
      String[] bounds = bucket.getKey().split(",", -1);
      if (bounds.length != 2) {
        throw new IllegalArgumentException("Unable to parse bucket bounds: " + bucket.getKey());
      }
      Long count = bucket.getValue();
      read.put(bucket(bounds), count == null ? 0 : count);
    }
    return read;
  }

  private static Bucket bucket(String[] bounds) {
    return new Bucket(Float.parseFloat(bounds[0]), Float.parseFloat(bounds[1]));
  }

  /**
   * Reads a histogram of a line: {@code u=1:o=2:0,1.5=3}.
   *
   * @throws NumberFormatException if a bound or count is not a number
   * @throws IllegalArgumentException with OpenTSDB's message if it is malformed
   */
  public static SimpleHistogram of(String text) {
    SimpleHistogram read = new SimpleHistogram();
    for (String part : text.split(":", -1)) {
      String[] pair = part.split("=", -1);
      if (pair.length != 2) {
        throw new IllegalArgumentException("Improperly formatted bucket: " + part);
      }
      long count = Long.parseLong(pair[1]);
      switch (pair[0].toLowerCase(Locale.ROOT)) {
        case "u" -> read.put(count, read.overflow());
        case "o" -> read.put(read.underflow(), count);
        default -> {
          String[] bounds = pair[0].split(",", -1);
          if (bounds.length != 2) {
            throw new IllegalArgumentException("Improperly formatted bounds: " + part);
          }
          read.put(bucket(bounds), count);
        }
      }
    }
    return read;
  }
}
