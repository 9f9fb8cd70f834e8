package dev.varve.server.opentsdb.histogram;

import dev.varve.engine.Dataset;
import dev.varve.engine.SideDatasets;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.model.Attribute;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Samples;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.query.running.QueryUse;
import dev.varve.store.Budget;
import java.util.Arrays;
import java.util.Base64;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The histograms of a dataset. In layout {@code opentsdb} they are attributes of their series. In
 * every other layout they are samples of text in the side dataset {@code NAME_histogram}. Either
 * way a value is one byte, the number of the codec, followed by the bytes of {@link
 * SimpleHistogram}; the text is these bytes in Base64.
 *
 * @param dataset the dataset that requests address
 * @param datasets finds a dataset by its name, as the caller may use it
 */
public record Histograms(Dataset dataset, Function<String, Dataset> datasets) {
  /** The name of the attribute. */
  public static final String ATTRIBUTE = "histogram";

  /** Receives histograms, series by series. */
  public interface Sink {
    /**
     * Takes a histogram.
     *
     * @param millis milliseconds since 1970
     */
    void take(Series series, long millis, SimpleHistogram histogram);
  }

  /** Returns the number of the codec; null if the dataset keeps no histograms. */
  public @Nullable Integer codec() {
    return dataset.config().histograms();
  }

  /** Returns whether histograms are attributes of series. */
  public boolean areAttributes() {
    return !SideDatasets.keepsHistogramsApart(dataset.config());
  }

  /** Returns the dataset in which the histograms are. */
  public Dataset kept() {
    return areAttributes() ? dataset : datasets.apply(SideDatasets.histograms(dataset.name()));
  }

  /**
   * Reads histograms. Skips values of other codecs, as OpenTSDB does, and values that are no
   * histogram.
   *
   * @param times in the resolution of {@link #kept}
   */
  public void read(Selector selector, TimeRange times, QueryUse use, Sink sink) {
    Dataset kept = kept();
    if (areAttributes()) {
      readAttributes(kept, selector, times, use, sink);
    } else {
      readTexts(kept, selector, times, use, sink);
    }
  }

  private void readAttributes(
      Dataset kept, Selector selector, TimeRange times, QueryUse use, Sink sink) {
    try (Stream<Attribute> found = kept.attributes(selector, times, use)) {
      found.forEach(attribute -> {
        use.ensureWanted();
        Long time = attribute.time();
        if (attribute.name().equals(ATTRIBUTE)
            && time != null
            && attribute.value() instanceof Value.Raw(var bytes)) {
          take(
              attribute.key().field(Series.DEFAULT_FIELD),
              kept.resolution().convert(time, Resolution.MILLISECONDS),
              bytes.toArray(),
              use,
              sink);
        }
      });
    }
  }

  private void readTexts(
      Dataset kept, Selector selector, TimeRange times, QueryUse use, Sink sink) {
    ReadRequest request =
        ReadRequest.of(selector, times)
            .with(ReadRequest.Order.SERIES_BY_SERIES)
            .with(new Budget(use.limits().cells(), use.limits().bytes()));
    try (RunCursor runs = use.runs(kept).read(request)) {
      for (Run run = runs.next(); run != null; run = runs.next()) {
        Samples samples = run.samples();
        if (samples.kind() != Kind.STRING) {
          continue;
        }
        for (int i = 0; i < samples.size(); i++) {
          take(
              run.series(),
              kept.resolution().convert(samples.time(i), Resolution.MILLISECONDS),
              bytes(samples.textAt(i)),
              use,
              sink);
        }
      }
    }
  }

  /** Returns the bytes of a text; none if it is not Base64. */
  private static byte[] bytes(String text) {
    try {
      return Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      return new byte[0];
    }
  }

  private void take(Series series, long millis, byte[] stored, QueryUse use, Sink sink) {
    Integer codec = codec();
    if (codec == null || stored.length == 0 || stored[0] != codec.byteValue()) {
      return;
    }
    SimpleHistogram histogram;
    try {
      histogram = SimpleHistogram.read(Arrays.copyOfRange(stored, 1, stored.length));
    } catch (IllegalArgumentException e) {
      return;
    }
    use.memory().hold(histogram.memory(), "the histograms of an OpenTSDB query");
    sink.take(series, millis, histogram);
  }
}
