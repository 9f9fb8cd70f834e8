package dev.varve.server.heroic.aggregation;

import dev.varve.server.heroic.aggregation.Values.Points;
import dev.varve.server.heroic.series.HeroicSeries;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Applies a rule to points that were collected. */
final class AppliedSession implements Session {
  private final CollectSession collected;
  private final Rule rule;
  private final Retained retained;

  AppliedSession(Rule rule, Retained retained) {
    this.collected = new CollectSession(retained);
    this.rule = rule;
    this.retained = retained;
  }

  @Override
  public void update(Map<String, String> key, Set<HeroicSeries> series, Values values) {
    boolean pointsAlone = rule instanceof Rule.Delta || rule instanceof Rule.NotNegative;
    if (values instanceof Points || !pointsAlone) {
      collected.update(key, series, values);
    }
  }

  @Override
  public List<Output> result() {
    List<Output> outputs = collected.result();
    return switch (rule) {
      case Rule.OfPoints mapping ->
          outputs.stream()
              .map(output ->
                  new Output(output.key(), output.series(), mapped(mapping, output.values())))
              .toList();
      case Rule.Extreme extreme ->
          outputs.stream().filter(output -> reaches(extreme, output.values())).toList();
      case Rule.Area area -> chosen(area, outputs);
    };
  }

  private Values mapped(Rule.OfPoints mapping, Values values) {
    if (!(values instanceof Points points)) {
      return values;
    }
    retained.hold(16L * points.size(), "points of a query");
    int from = mapping instanceof Rule.Delta ? 1 : 0;
    long[] times = new long[points.size()];
    double[] made = new double[points.size()];
    int size = 0;
    for (int i = from; i < points.size(); i++) {
      double value = points.values()[i];
      boolean kept =
          switch (mapping) {
            case Rule.Delta delta -> true;
            case Rule.NotNegative notNegative -> value >= 0;
            case Rule.Points(boolean above, double threshold) ->
                above ? value > threshold : value < threshold;
          };
      if (kept) {
        times[size] = points.times()[i];
        made[size++] = mapping instanceof Rule.Delta delta ? difference(delta, points, i) : value;
      }
    }
    return new Points(times, made, size);
  }

  private static double difference(Rule.Delta delta, Points points, int index) {
    double change = points.values()[index] - points.values()[index - 1];
    long millis = points.times()[index] - points.times()[index - 1];
    return delta.perSecond() ? change * 1000 / millis : change;
  }

  private static boolean reaches(Rule.Extreme rule, Values values) {
    if (!(values instanceof Points points)) {
      return false;
    }
    // As in Heroic, NaN counts as the largest number, which is beyond no threshold.
    double extreme = rule.above() ? Double.NEGATIVE_INFINITY : Double.NaN;
    for (int i = 0; i < points.size(); i++) {
      double value = points.values()[i];
      boolean further =
          rule.above() ? Double.compare(value, extreme) > 0 : Double.compare(value, extreme) < 0;
      extreme = further ? value : extreme;
    }
    return points.size() > 0 && (rule.above() ? extreme > rule.k() : extreme < rule.k());
  }

  /** An output and the area under its line. */
  private record Measured(Output output, double area) {}

  private static List<Output> chosen(Rule.Area rule, List<Output> outputs) {
    List<Measured> measured = new ArrayList<>();
    for (Output output : outputs) {
      if (output.values().size() > 0) {
        measured.add(
            new Measured(
                output, output.values() instanceof Points points ? Area.under(points) : 0));
      }
    }
    Comparator<Measured> order = Comparator.comparingDouble(Measured::area);
    measured.sort(rule.largest() ? order.reversed() : order);
    return measured.stream().limit(rule.k()).map(Measured::output).toList();
  }
}
