package dev.varve.server.heroic.query;

import dev.varve.query.running.QueryUse;
import dev.varve.server.heroic.aggregation.Session.Output;
import dev.varve.server.heroic.aggregation.Values;
import dev.varve.server.heroic.series.HeroicSeries;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Turns distributions at the end of a query into points, as Heroic's answers do. */
final class Percentiles {
  /** The tag that tells the lines of one group apart. */
  private static final String TAG = "tdigeststat";

  /** A percentile and its name. */
  private record Percentile(String name, double q) {}

  private static final List<Percentile> ALL =
      List.of(new Percentile("P99", 0.99), new Percentile("P50", 0.5), new Percentile("P75", 0.75));

  private Percentiles() {}

  /** Returns three lines for each line of digests, and the sample counts of raw distributions. */
  static List<Output> asPoints(List<Output> outputs, QueryUse use) {
    List<Output> points = new ArrayList<>();
    for (Output output : outputs) {
      switch (output.values()) {
        case Values.Digests digests -> {
          for (Percentile percentile : ALL) {
            points.add(line(output, digests, percentile, use));
          }
        }
        case Values.Distributions distributions ->
            points.add(new Output(output.key(), output.series(), counts(distributions)));
        case Values.Points some -> points.add(output);
        case Values.Spreads some -> points.add(output);
        case Values.Groups some -> points.add(output);
      }
    }
    return points;
  }

  private static Output line(
      Output output, Values.Digests digests, Percentile percentile, QueryUse use) {
    Set<HeroicSeries> named = new LinkedHashSet<>();
    for (HeroicSeries series : output.series()) {
      use.held(series.bytes(), "series of a query");
      named.add(series.withTag(TAG, percentile.name()));
    }
    use.held(16L * digests.size(), "percentiles");
    long[] times = new long[digests.size()];
    double[] values = new double[digests.size()];
    for (int i = 0; i < digests.size(); i++) {
      times[i] = digests.digests().get(i).time();
      values[i] = digests.digests().get(i).digest().quantile(percentile.q());
    }
    return new Output(output.key(), named, new Values.Points(times, values, times.length));
  }

  /** Returns the numbers of samples; -1 where a distribution has none. */
  private static Values counts(Values.Distributions distributions) {
    long[] times = new long[distributions.size()];
    double[] counts = new double[distributions.size()];
    for (int i = 0; i < distributions.size(); i++) {
      Values.Distribution one = distributions.distributions().get(i);
      times[i] = one.time();
      counts[i] = one.sketch().means().length == 0 ? -1 : one.sketch().samples();
    }
    return new Values.Points(times, counts, times.length);
  }
}
