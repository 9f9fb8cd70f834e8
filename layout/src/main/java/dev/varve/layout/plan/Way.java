package dev.varve.layout.plan;

import dev.varve.layout.KeyPart;
import dev.varve.layout.RowShape;
import dev.varve.model.GroupKey;
import dev.varve.model.TagFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One way to read: the first parts of the row key are pinned, and the rest is a range, of time if
 * the next part carries time. Rows are filtered by the parts after the pinned ones.
 *
 * @param pinned number of pinned parts
 * @param closed why the way cannot be taken; null if it can
 * @param scansTable whether the way is closed only because it would scan a whole table
 * @param slices maximum number of slices
 * @param partitions maximum number of partitions
 * @param rows expected number of rows read
 * @param cells expected number of cells read
 * @param cost in units of rows; infinite if the way is closed
 */
record Way(
    int pinned,
    String name,
    @Nullable String closed,
    boolean scansTable,
    double slices,
    double partitions,
    Amount rows,
    Amount cells,
    double cost) {

  /**
   * An expected number.
   *
   * @param counted whether the census has counted it; otherwise it is guessed
   */
  record Amount(double value, boolean counted) {
    OptionalLong known() {
      return counted ? OptionalLong.of(Math.round(value)) : OptionalLong.empty();
    }

    @Override
    public String toString() {
      return "%s%,.0f".formatted(counted ? "about " : "perhaps ", value);
    }

    /**
     * Returns a share of this amount.
     *
     * @param evenly whether the amount is known to be evenly distributed
     */
    Amount share(double share, boolean evenly) {
      return new Amount(value * share, counted && (evenly || share == 1));
    }

    Amount times(Survey.Mean mean) {
      return new Amount(value * mean.value(), counted && mean.counted());
    }
  }

  private static final Amount NONE = new Amount(0, false);

  /**
   * Estimates a way.
   *
   * @param cheapest the cost of another way; if this way costs more in any case, its exact cost is
   *     not determined
   */
  static Way of(Survey survey, int pinned, double cheapest) {
    String name = name(survey.shape, pinned);
    Pinning pinning = Pinning.of(survey, pinned);
    String closed = closed(survey, pinning);
    if (closed != null) {
      return closed(pinned, name, closed, false);
    }
    if (scansTable(survey, pinned) && !survey.wholeTable) {
      return closed(pinned, name, "it scans the whole table, which the query does not allow", true);
    }
    Groups groups = survey.groups(pinned);
    if (survey.apart && groups.count() < survey.bindings.size()) {
      return closed(
          pinned,
          name,
          "it reads series together that are wanted one after another and are too many to hold",
          false);
    }
    Way way = weigh(survey, pinning, groups, name, cheapest);
    if (survey.partitioned && !survey.wholeTable && way.partitions > Weights.PARTITIONS_HARD) {
      return closed(
          pinned,
          name,
          "it would take %,.0f partitions, and one plan reads %,d at most: narrow the time range or the series, or allow whole-table scans"
              .formatted(way.partitions, Weights.PARTITIONS_HARD),
          false);
    }
    if (way.slices > Weights.SLICES_HARD) {
      return closed(
          pinned,
          name,
          "it would take %,.0f slices, and one plan reads %,d at most: narrow the time range or the series"
              .formatted(way.slices, Weights.SLICES_HARD),
          false);
    }
    return way;
  }

  boolean open() {
    return closed == null;
  }

  /** Returns the expected amounts in words. */
  String amounts() {
    return "%,.0f slices, %s rows, %s cells".formatted(slices, rows, cells);
  }

  private static Way closed(int pinned, String name, String reason, boolean scansTable) {
    return new Way(pinned, name, reason, scansTable, 0, 0, NONE, NONE, Double.POSITIVE_INFINITY);
  }

  private static @Nullable String closed(Survey survey, Pinning pinning) {
    RowShape shape = survey.shape;
    if (survey.partitioned && pinning.count() < shape.partitionParts()) {
      return "a slice stays in one partition, which extends to "
          + shape.parts().get(shape.partitionParts() - 1).label();
    }
    return pinning.closed() != null ? pinning.closed() : disorder(shape, pinning.count());
  }

  /**
   * Returns why rows after the pinned parts are not in time order within a series; null if they
   * are.
   */
  static @Nullable String disorder(RowShape shape, int pinned) {
    KeyPart.Time before = null;
    for (KeyPart part : shape.parts().subList(pinned, shape.parts().size())) {
      if (spreads(part) && !(before != null && before.instant())) {
        return "rows of a series are not in time order after " + part.label();
      }
      if (part instanceof KeyPart.Time time) {
        if (before != null && before.descending() != time.descending()) {
          return before.label() + " and " + time.label() + " run in opposite directions";
        }
        before = time;
      }
    }
    return null;
  }

  /** Returns whether rows of one series and time may differ in a part. */
  private static boolean spreads(KeyPart part) {
    return part.role() == KeyPart.Role.SEQUENCE
        || (part instanceof KeyPart.Salt salt && salt.of() != KeyPart.Salt.Of.KEY);
  }

  private static boolean scansTable(Survey survey, int pinned) {
    RowShape shape = survey.shape;
    boolean bound = shape.parts().subList(0, pinned).stream().anyMatch(part -> part.role().ofKey());
    boolean bounded = restrictsTime(shape, pinned) && survey.boundedBelow && survey.boundedAbove;
    return !bound && !bounded;
  }

  /** Returns whether the pinned parts and the range after them exclude rows of other times. */
  private static boolean restrictsTime(RowShape shape, int pinned) {
    return shape.timePart() >= 0 && shape.timePart() <= pinned;
  }

  private static Way weigh(
      Survey survey, Pinning pinning, Groups groups, String name, double cheapest) {
    List<KeyPart> rest =
        survey.shape.parts().subList(pinning.count(), survey.shape.parts().size()).stream()
            .filter(part -> part.role().ofKey())
            .toList();
    Amount wanted = new Amount(survey.bindings.size(), rest.isEmpty());
    Way least = weigh(survey, pinning, groups, name, wanted);
    return rest.isEmpty() || least.cost >= cheapest
        ? least
        : weigh(survey, pinning, groups, name, seriesRead(survey, pinning.count(), groups, rest));
  }

  private static Way weigh(
      Survey survey, Pinning pinning, Groups groups, String name, Amount series) {
    int pinned = pinning.count();
    double each =
        (double) pinning.buckets().length
            * pinning.kinds().size()
            * pinning.fields().size()
            * pinning.fanOut();
    double slices = each * prefixes(survey, pinning, groups);
    Survey.Means means = survey.means();
    boolean restricted = restricted(survey, pinned);
    boolean exact = Edges.of(survey, pinned).exact();
    Amount rows =
        series
            .times(restricted ? means.rows() : means.rowsEver())
            .share(pinning.share(), means.fillRows());
    Amount cells =
        series
            .times(!restricted ? means.cellsEver() : exact ? means.cells() : means.cellsOfRows())
            .share(exact ? pinning.shareOfTimes() : pinning.share(), means.fillRows());
    return new Way(
        pinned,
        name,
        null,
        false,
        slices,
        partitions(survey, pinning, slices),
        rows,
        cells,
        Weights.cost(slices, rows.value(), cells.value()));
  }

  private static boolean restricted(Survey survey, int pinned) {
    return survey.shape.timePart() < 0 || restrictsTime(survey.shape, pinned);
  }

  /** Returns the number of key prefixes for one bucket, kind and field. */
  private static double prefixes(Survey survey, Pinning pinning, Groups groups) {
    if (!pinning.saltOfBucket()) {
      return groups.count();
    }
    int salts = 1;
    for (KeyPart part : survey.shape.parts().subList(0, pinning.count())) {
      if (part instanceof KeyPart.Salt salt && salt.of() == KeyPart.Salt.Of.KEY_AND_BUCKET) {
        salts = Math.multiplyExact(salts, salt.buckets());
      }
    }
    double prefixes = 0;
    for (List<Integer> group : groups.members()) {
      prefixes += Math.min(group.size(), salts);
    }
    return prefixes;
  }

  private static double partitions(Survey survey, Pinning pinning, double slices) {
    int parts = survey.shape.partitionParts();
    if (parts == 0) {
      return 1;
    }
    Pinning of = Pinning.of(survey, parts);
    double each =
        (double) of.buckets().length * of.kinds().size() * of.fields().size() * pinning.fanOut();
    double named = each * prefixes(survey, pinning, survey.groups(parts));
    return pinning.count() < parts ? named : Math.min(slices, named);
  }

  /**
   * Estimates the number of series in the slices, including series that were not requested.
   *
   * @param rest the parts after the pinned ones that distinguish series
   */
  private static Amount seriesRead(Survey survey, int pinned, Groups groups, List<KeyPart> rest) {
    boolean metricBefore =
        survey.shape.parts().subList(0, pinned).stream()
            .anyMatch(part -> part.role() == KeyPart.Role.METRIC);
    long tellingApart =
        survey.shape.parts().stream()
            .filter(part -> part.role().ofKey() && part.role() != KeyPart.Role.METRIC)
            .count();
    double share = tellingApart == 0 ? 1 : (double) rest.size() / tellingApart;
    List<KeyPart> given =
        survey.shape.parts().subList(0, pinned).stream()
            .filter(part -> part.role().ofKey() && part.role() != KeyPart.Role.METRIC)
            .toList();
    double sum = 0;
    boolean counted = true;
    int stride = Math.max(1, groups.count() / Weights.SAMPLED_GROUPS);
    int asked = 0;
    for (int i = 0; i < groups.count(); i += stride) {
      List<Integer> group = groups.members().get(i);
      Amount series =
          metricBefore
              ? seriesAfter(survey, group, given, share, restricted(survey, pinned))
              : new Amount(Weights.METRICS * Weights.SERIES_OF_METRIC, false);
      sum += Math.max(series.value(), group.size());
      counted &= series.counted();
      asked++;
    }
    return new Amount(sum / asked * groups.count(), counted);
  }

  /**
   * Estimates how many series of a metric share the pinned parts of a group. If the catalog has no
   * count, the parts that distinguish the series of a metric are assumed to divide them evenly: of
   * n series, all n share the metric, and the square root of n share half of the parts.
   *
   * @param given the pinned parts that distinguish series
   * @param inTime whether to count only series with samples in the time range
   */
  private static Amount seriesAfter(
      Survey survey, List<Integer> group, List<KeyPart> given, double share, boolean inTime) {
    GroupKey key = survey.bindings.get(group.getFirst()).key();
    OptionalLong all = survey.seriesOfMetric(key.metric());
    boolean everySeriesIsAsked =
        all.isPresent() && all.getAsLong() == survey.bindingsOf(key.metric());
    if (everySeriesIsAsked) {
      return new Amount(group.size(), true);
    }
    List<TagFilter> shared = new ArrayList<>();
    boolean complete = true;
    for (KeyPart part : given) {
      List<TagFilter> ofPart = part.shared(key);
      complete &= ofPart != null;
      shared.addAll(ofPart == null ? List.of() : ofPart);
    }
    OptionalLong most = survey.series(key.metric(), shared, inTime);
    if (most.isPresent() && complete) {
      return new Amount(most.getAsLong(), true);
    }
    double of = all.isPresent() ? all.getAsLong() : Weights.SERIES_OF_METRIC;
    double guess = Math.pow(of, share);
    return new Amount(most.isPresent() ? Math.min(guess, (double) most.getAsLong()) : guess, false);
  }

  static String name(RowShape shape, int pinned) {
    if (pinned == shape.parts().size()) {
      return "exact rows";
    }
    String before =
        shape.parts().subList(0, pinned).stream()
            .map(KeyPart::label)
            .collect(Collectors.joining(", "));
    KeyPart next = shape.parts().get(pinned);
    if (next instanceof KeyPart.Time) {
      return "range of " + next.label() + (before.isEmpty() ? "" : " after " + before);
    }
    return before.isEmpty() ? "whole table" : "all rows after " + before;
  }
}
