package dev.varve.matrix.differential;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Random histograms, and queries of them. */
final class OpenTsdbHistograms {
  static final String METRIC = "hist.ms";

  /** The number of the codec in both servers. */
  static final int CODEC = 5;

  static final String CONFIG =
      "{\"net.opentsdb.core.SimpleHistogramDecoder\": %d}".formatted(CODEC);

  private final Choices choices;
  private int written;

  OpenTsdbHistograms(Choices choices) {
    this.choices = choices;
  }

  /** Returns requests that write what queries are about. */
  List<Request> writes() {
    List<Object> points = new ArrayList<>();
    for (String host : List.of("web01", "Web02", "web03")) {
      for (long time = OpenTsdbPoints.START; time < OpenTsdbPoints.END; time += 300) {
        if (!choices.oneIn(5)) {
          points.add(point(METRIC, time, host));
        }
      }
    }
    return List.of(
        new Request(
            "POST",
            "/api/histogram?sync&details",
            JsonTree.write(points),
            Set.of("endpoint histogram")));
  }

  private Map<String, @Nullable Object> point(String metric, Object time, String host) {
    Map<String, @Nullable Object> point = new LinkedHashMap<>();
    point.put("metric", metric);
    point.put("timestamp", time);
    point.put("tags", JsonTree.object("host", host));
    Map<String, @Nullable Object> buckets = new LinkedHashMap<>();
    for (String bounds : List.of("0,1.5", "1.5,10", "10,250", "250,1000.25")) {
      if (!choices.oneIn(6) || bounds.startsWith("0")) {
        buckets.put(bounds, choices.below(choices.oneIn(8) ? 100_000 : 90));
      }
    }
    point.put("buckets", buckets);
    if (choices.oneIn(2)) {
      point.put("underflow", choices.below(9));
      point.put("overflow", choices.below(300));
    }
    return point;
  }

  /** Returns points of a metric of its own, some of which are invalid. */
  List<Object> some() {
    String metric = "zhist.%03d".formatted(written++);
    List<Object> points = new ArrayList<>();
    for (int i = choices.below(3); i >= 0; i--) {
      Object time =
          switch (choices.draw("time of a histogram", "s", "s", "s", "s", "ms", "zero")) {
            case "ms" -> 1000 * OpenTsdbPoints.START + 1 + choices.below(1000);
            case "zero" -> 0;
            default -> OpenTsdbPoints.START + choices.below(3600);
          };
      Map<String, @Nullable Object> point = point(metric, time, choices.pick("web01", "web03"));
      switch (choices.draw(
          "histogram",
          "counts",
          "counts",
          "counts",
          "counts",
          "encoded",
          "codec",
          "bounds",
          "none")) {
        case "encoded" -> {
          point.remove("buckets");
          point.put("id", CODEC);
          // One bucket from 0 to 2 with 300, nothing below, one above.
          point.put("value", "AAEAAAAAQAAAAKwCAAE=");
        }
        case "codec" -> {
          point.put("id", choices.pick(4, 256, -1));
          point.put("value", "AAEAAAAAQAAAAKwCAAE=");
        }
        case "bounds" ->
            point.put("buckets", JsonTree.object(choices.pick("1", "1,x", "1,2,3"), 3));
        case "none" -> point.put("buckets", JsonTree.object());
        default -> {
          // As it is.
        }
      }
      points.add(point);
    }
    return points;
  }

  /** Returns requests that read what was written. */
  List<Request> reads() {
    List<Request> requests = new ArrayList<>();
    for (int i = 0; i < written; i++) {
      requests.add(
          new Request(
              "GET",
              "/api/query?start=%d&end=%d&ms&m=none:percentiles%%5B50,99%%5D:show-histogram-buckets:zhist.%03d"
                  .formatted(OpenTsdbPoints.START, OpenTsdbPoints.END, i),
              null,
              Set.of("reads histograms")));
    }
    return requests;
  }

  /** Returns the value of {@code m} of a query. */
  String query() {
    String aggregator =
        choices.draw("aggregator of histograms", "sum", "none", "sum", "none", "avg");
    String downsample =
        choices.draw(
            "downsampling of histograms",
            "",
            "",
            "10m-sum:",
            "1h-sum:",
            "7m-sum:",
            "1hc-sum:",
            "0all-sum:",
            "10m-sum-zero:",
            "10m-max:");
    String what =
        choices.draw(
            "what of histograms",
            "percentiles[50]",
            "percentiles[99,1,99.9]",
            "percentiles[0.5,100]",
            "show-histogram-buckets",
            "percentiles[75]:show-histogram-buckets",
            "percentiles[101]");
    String filter = choices.draw("filter of histograms", "", "{host=*}", "{host=web01}");
    return "%s:%s%s:%s%s".formatted(aggregator, downsample, what, METRIC, filter);
  }
}
