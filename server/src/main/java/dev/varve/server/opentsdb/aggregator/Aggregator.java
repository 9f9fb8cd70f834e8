package dev.varve.server.opentsdb.aggregator;

import dev.varve.server.opentsdb.aggregator.Fold.Basic;
import dev.varve.server.opentsdb.aggregator.Fold.Estimation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An aggregator of OpenTSDB 2.4.
 *
 * @param between the value of a series at a time between two of its points
 */
public record Aggregator(String name, Interpolation between, Fold fold) {
  /** The value of a series at a time between two of its points. */
  public enum Interpolation {
    /** On the line between the points. */
    LERP,
    ZERO,
    /** The largest number, which a minimum disregards. */
    MAX,
    /** The smallest number, which a maximum disregards. */
    MIN,
    /** The value of the earlier point. */
    PREVIOUS
  }

  /** One result per series. */
  static final String NONE = "none";

  private static final Map<String, Aggregator> ALL = all();

  /** Returns the aggregator with a name, whose case matters; null if there is none. */
  public static @Nullable Aggregator of(String name) {
    return ALL.get(name);
  }

  /** Returns the names of all aggregators. */
  public static Collection<String> names() {
    return ALL.keySet();
  }

  /** Returns whether series are not aggregated at all. */
  public boolean isNone() {
    return name.equals(NONE);
  }

  private static Map<String, Aggregator> all() {
    List<Aggregator> all =
        new ArrayList<>(
            List.of(
                new Aggregator("sum", Interpolation.LERP, Basic.SUM),
                new Aggregator("min", Interpolation.LERP, Basic.MIN),
                new Aggregator("max", Interpolation.LERP, Basic.MAX),
                new Aggregator("avg", Interpolation.LERP, Basic.AVG),
                new Aggregator(NONE, Interpolation.ZERO, Basic.FIRST),
                new Aggregator("median", Interpolation.LERP, Basic.MEDIAN),
                new Aggregator("mult", Interpolation.LERP, Basic.MULTIPLY),
                new Aggregator("dev", Interpolation.LERP, Basic.DEV),
                new Aggregator("diff", Interpolation.LERP, Basic.DIFF),
                new Aggregator("count", Interpolation.ZERO, Basic.COUNT),
                new Aggregator("zimsum", Interpolation.ZERO, Basic.SUM),
                new Aggregator("mimmin", Interpolation.MAX, Basic.MIN),
                new Aggregator("mimmax", Interpolation.MIN, Basic.MAX),
                new Aggregator("first", Interpolation.ZERO, Basic.FIRST),
                new Aggregator("last", Interpolation.ZERO, Basic.LAST),
                new Aggregator("pfsum", Interpolation.PREVIOUS, Basic.SUM),
                new Aggregator("squareSum", Interpolation.ZERO, Basic.SQUARE_SUM)));
    for (String percent : List.of("50", "75", "90", "95", "99", "999")) {
      double value = percent.equals("999") ? 99.9 : Double.parseDouble(percent);
      all.add(percentile("p" + percent, value, Estimation.LEGACY));
      all.add(percentile("ep" + percent + "r3", value, Estimation.R_3));
      all.add(percentile("ep" + percent + "r7", value, Estimation.R_7));
    }
    Map<String, Aggregator> byName = new LinkedHashMap<>();
    all.forEach(one -> byName.put(one.name(), one));
    return byName;
  }

  private static Aggregator percentile(String name, double percent, Estimation estimation) {
    return new Aggregator(name, Interpolation.LERP, new Fold.Percentile(percent, estimation));
  }
}
