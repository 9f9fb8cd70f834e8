package dev.varve.server.kairosdb.features;

import dev.varve.server.kairosdb.features.Feature.Check;
import dev.varve.server.kairosdb.features.Feature.Processor;
import dev.varve.server.kairosdb.features.Feature.Property;
import dev.varve.server.kairosdb.features.Feature.Property.Plain;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * All features of a query. Names, labels, types and defaults are those of KairosDB 1.3, from which
 * its forms are built; the descriptions are Varve's.
 */
public final class Features {
  private static final List<String> UNITS =
      List.of("MILLISECONDS", "SECONDS", "MINUTES", "HOURS", "DAYS", "WEEKS", "MONTHS", "YEARS");

  private static final Check POSITIVE = new Check("value > 0", "Enter a number above 0.");
  private static final Check NOT_NEGATIVE = new Check("value >= 0", "Enter 0 or more.");
  private static final Check NOT_EMPTY = new Check("value.length > 0", "Enter at least one.");

  /** The sampling of an aggregator of ranges. */
  private static final Property SAMPLING = length("sampling", "Sampling");

  private static final List<Property> OF_RANGES =
      List.of(
          truth(
              "align_end_time",
              "Align end time",
              "Gives each result the time at which its range ends."),
          truth(
              "align_start_time",
              "Align start time",
              "Gives each result the time at which its range starts."),
          SAMPLING,
          truth(
              "trim",
              "Trim",
              "Leaves out empty ranges before the first and after the last point."));

  /** All features, in KairosDB's order. */
  public static final List<Feature> ALL = List.of(groupings(), aggregators());

  private Features() {}

  /** Returns the feature of a name in any case; null if there is none. */
  public static @Nullable Feature find(String name) {
    for (Feature feature : ALL) {
      if (feature.name().equals(name.toLowerCase(Locale.ROOT))) {
        return feature;
      }
    }
    return null;
  }

  private static Plain plain(
      String name,
      String label,
      String description,
      String type,
      String standard,
      Check... checks) {
    return new Plain(name, label, description, type, List.of(), standard, "", List.of(checks));
  }

  private static Plain choice(
      String name, String label, String description, String standard, List<String> options) {
    return new Plain(name, label, description, "enum", options, standard, "", List.of());
  }

  private static Plain truth(String name, String label, String description) {
    return plain(name, label, description, "boolean", "false");
  }

  private static Property length(String name, String label) {
    return new Property.Group(
        name,
        label,
        List.of(
            plain("value", "Value", "How many units long it is.", "long", "1", NOT_NEGATIVE),
            choice("unit", "Unit", "The unit of time.", "MILLISECONDS", UNITS)));
  }

  private static Feature groupings() {
    return new Feature(
        "group_by",
        "Group By",
        List.of(
            new Processor(
                "bin",
                "Bin",
                "Groups points by the bin that their value falls into.",
                List.of(
                    plain(
                        "bins",
                        "Bin Values",
                        "Rising borders: 10 and 20 make a bin below 10, one from 10 and one from 20.",
                        "array",
                        "[]",
                        new Check(
                            "value.every((n) => !isNaN(parseFloat(n)) && isFinite(n))",
                            "Enter numbers only."),
                        NOT_EMPTY))),
            new Processor(
                "tag",
                "Tag",
                "Groups series by the values of tags.",
                List.of(
                    new Plain(
                        "tags",
                        "Tags",
                        "The names of the tags.",
                        "array",
                        List.of(),
                        "[]",
                        "tags",
                        List.of(NOT_EMPTY)))),
            new Processor(
                "time",
                "Time",
                "Groups points by recurring ranges of time.",
                List.of(
                    plain(
                        "group_count",
                        "Count",
                        "After how many ranges the groups recur: 7 ranges of a day for weekdays.",
                        "int",
                        "0",
                        POSITIVE),
                    length("range_size", "Range Size"))),
            new Processor(
                "value",
                "Value",
                "Groups points by ranges of values.",
                List.of(
                    plain(
                        "range_size",
                        "Target Size",
                        "The size of a range: 10 puts 0 to 9 together, and 10 to 19.",
                        "int",
                        "0",
                        NOT_NEGATIVE)))));
  }

  private static Processor ofRanges(String name, String label, String description) {
    return new Processor(name, label, description, OF_RANGES);
  }

  private static Feature aggregators() {
    return new Feature(
        "aggregators",
        "Aggregator",
        List.of(
            ofRanges("avg", "AVG", "The mean of each range."),
            ofRanges("count", "Count", "The number of points in each range."),
            ofRanges("dev", "Dev", "The sample deviation of each range."),
            new Processor("diff", "Diff", "The change from each point to the next.", List.of()),
            new Processor(
                "div",
                "Div",
                "Divides each value.",
                List.of(plain("divisor", "Divisor", "The divisor.", "double", "1", POSITIVE))),
            filter(),
            ofRanges("first", "First", "The first point of each range."),
            ofRanges("gaps", "Gaps", "Adds a null for each range without points."),
            ofRanges("last", "Last", "The last point of each range."),
            ofRanges(
                "least_squares", "Least Squares", "The two ends of a line fitted to each range."),
            ofRanges("max", "Max", "The greatest value of each range."),
            ofRanges("min", "Min", "The smallest value of each range."),
            percentile(),
            new Processor(
                "rate", "Rate", "The change from point to point per time.", List.of(SAMPLING)),
            new Processor(
                "sampler",
                "Sampler",
                "Each value divided by the time since the point before it.",
                List.of(choice("unit", "Time Unit", "The unit of time.", "milliseconds", UNITS))),
            saveAs(),
            new Processor(
                "scale",
                "Scale",
                "Multiplies each value.",
                List.of(plain("factor", "Factor", "The factor.", "double", "0.0", POSITIVE))),
            score(),
            new Processor(
                "sma",
                "SMA",
                "The mean of the last points.",
                List.of(plain("size", "Size", "The number of points.", "int", "10", POSITIVE))),
            ofRanges("sum", "Sum", "The sum of each range."),
            new Processor(
                "trim",
                "Trim",
                "Drops points at the ends.",
                List.of(
                    choice(
                        "trim", "Trim", "Which end.", "both", List.of("FIRST", "LAST", "BOTH"))))));
  }

  private static Processor filter() {
    return new Processor(
        "filter",
        "Filter",
        "Drops the points for which a comparison holds.",
        List.of(
            choice(
                "filter_op",
                "Filter operation",
                "The comparison.",
                "equal",
                List.of("LTE", "LT", "GTE", "GT", "EQUAL", "NE")),
            plain("threshold", "Threshold", "A number or a text to compare with.", "Object", "")));
  }

  private static Processor percentile() {
    Plain fraction =
        plain(
            "percentile",
            "Percentile",
            "The share of points that lie below, such as 0.95.",
            "double",
            "0.1",
            new Check("value < 1", "Enter a number below 1."),
            POSITIVE);
    return new Processor(
        "percentile",
        "Percentile",
        "A percentile of each range.",
        List.of(OF_RANGES.get(0), OF_RANGES.get(1), fraction, OF_RANGES.get(2), OF_RANGES.get(3)));
  }

  private static Processor saveAs() {
    return new Processor(
        "save_as",
        "Save As",
        "Writes the points to another metric, and passes them on.",
        List.of(
            plain(
                "metric_name",
                "Save As",
                "The name of that metric.",
                "String",
                "<new name>",
                new Check("!!value && value.length > 0", "Enter a name."))));
  }

  private static Processor score() {
    return new Processor(
        "score",
        "SCORE",
        "The number of thresholds that each value has reached.",
        List.of(
            choice(
                "order",
                "Order",
                "Whether to count those reached or the others.",
                "ascending",
                List.of("ASCENDING", "DESCENDING")),
            plain("thresholds", "Thresholds", "The thresholds.", "array", "[]")));
  }
}
