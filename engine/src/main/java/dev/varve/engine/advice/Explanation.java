package dev.varve.engine.advice;

import dev.varve.engine.advice.Advice.ReadCosts;
import dev.varve.engine.advice.Advice.Reason;
import dev.varve.engine.advice.Advice.Verdict;
import dev.varve.engine.advice.Design.Place;
import dev.varve.engine.heat.HeatFinding;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.layout.declared.BucketWidth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Says why a choice was made: one reason for each respect in which it differs, with numbers. */
final class Explanation {
  private final OpenDataset dataset;
  private final Workload workload;
  private final SeriesRates rates;
  private final Search search;
  private final List<HeatFinding> heat;
  private final List<Reason> reasons = new ArrayList<>();

  Explanation(
      OpenDataset dataset,
      Workload workload,
      SeriesRates rates,
      Search search,
      List<HeatFinding> heat) {
    this.dataset = dataset;
    this.workload = workload;
    this.rates = rates;
    this.search = search;
    this.heat = heat;
  }

  /**
   * @param refusal why blocks are out of the question; null if they are not, or if the store is not
   *     inside the process
   */
  List<Reason> reasons(List<Option> present, Advisor.Choice choice, @Nullable String refusal) {
    if (choice.layouts().getFirst().isBlocks()) {
      blocks(present, choice.layouts().getFirst());
    }
    for (Option option : present) {
      option.faults().forEach(fault -> add(fault.rule(), sentence(fault.text())));
    }
    if (choice.verdict() == Verdict.KEEP || choice.verdict() == Verdict.UNKNOWN) {
      keep(present);
    } else {
      Option primary = choice.layouts().getFirst();
      Design design = primary.design();
      if (design != null && !design.equals(search.start())) {
        differences(design, present.getFirst(), primary);
      }
      if (choice.verdict() == Verdict.COMPANION) {
        companion(choice.layouts());
      }
    }
    if (refusal != null) {
      add(
          Rule.BLOCKS,
          "Layout blocks, which packs samples, is not for this dataset: %s.".formatted(refusal));
    }
    for (HeatFinding finding : heat) {
      switch (finding.kind()) {
        case TIME_LEADING_KEY -> add(Rule.TIME_FIRST, "Measured: " + finding.text());
        case HOT_PARTITION -> add(Rule.HOT_PREFIX, "Measured: " + finding.text());
        case OVERSIZED_ROW -> add(Rule.WIDE_BUCKETS, "Measured: " + finding.text());
      }
    }
    reasons.addAll(new Retention(dataset, workload, rates).reasons());
    return List.copyOf(reasons);
  }

  private void add(Rule rule, String text) {
    reasons.add(new Reason(rule, text));
  }

  private static String sentence(String text) {
    return Character.toUpperCase(text.charAt(0)) + text.substring(1) + ".";
  }

  private void keep(List<Option> present) {
    if (workload.queries().isEmpty()) {
      add(
          Rule.KEEP,
          "Without queries nothing speaks for another layout%s."
              .formatted(reasons.isEmpty() ? "" : ", but see the faults above"));
      return;
    }
    Option best = search.best();
    double now = Option.mean(workload, present).cost();
    double then = Option.mean(workload, List.of(best)).cost();
    ReadCosts mean = Option.mean(workload, present);
    add(
        Rule.KEEP,
        "Keep it. A query reads %s cells in %s rows and %s ranges on average. The best layout that was found would cost %.0f %% of that; from %.0f %% on a change is not worth a migration."
            .formatted(
                Weigher.count(mean.cells()),
                Weigher.count(mean.rows()),
                Weigher.count(mean.requests()),
                now == 0 ? 100 : Math.min(100, 100 * then / now),
                100 * Advisor.COST_SHARE_MAX));
  }

  private void blocks(List<Option> present, Option blocks) {
    ReadCosts before = Option.mean(workload, present);
    ReadCosts after = Option.mean(workload, List.of(blocks));
    add(
        Rule.BLOCKS,
        "Packed into blocks, samples of the dataset take %.1f bytes each, in place of %.0f in cells, both before the store compresses them%s. Keep cells if other programs read them, or if the dataset is to move to a store of several machines."
            .formatted(
                blocks.write().bytes(),
                Advisor.together(present).bytes(),
                workload.queries().isEmpty()
                    ? ""
                    : "; a query reads %s cells of %s bytes in %s rows in place of %s of %s in %s"
                        .formatted(
                            Weigher.count(after.cells()),
                            Weigher.count(after.bytes()),
                            Weigher.count(after.rows()),
                            Weigher.count(before.cells()),
                            Weigher.count(before.bytes()),
                            Weigher.count(before.rows()))));
  }

  private void differences(Design design, Option present, Option proposed) {
    Design start = search.start();
    if (start.place() == Place.FRONT && design.place() != Place.FRONT) {
      add(
          Rule.TIME_FIRST,
          "The metric%s goes before the time: the busiest place then takes %.0f %% of the writes in place of %.0f %%."
              .formatted(
                  design.leading().isEmpty() ? " with its tags" : " and " + tags(design),
                  100 * proposed.write().hottest(),
                  100 * present.write().hottest()));
    } else if (start.place() != design.place()) {
      place(design, present, proposed);
    }
    if (!start.leading().equals(design.leading())) {
      add(
          Rule.LABEL_ORDER,
          "%s in front, where queries bind it; %s."
              .formatted(
                  design.leading().isEmpty()
                      ? "All tags in the order of their names"
                      : "Put " + tags(design),
                  effect(design.with(start.leading(), design.place()), design)));
    }
    time(design);
    if (design.salts() > start.salts()) {
      add(
          Rule.SALT,
          "A salt of %d spreads the writes, which no tag does: each range is read %d times then."
              .formatted(design.salts(), design.salts()));
    }
  }

  private static String tags(Design design) {
    return "tag " + String.join(" and tag ", design.leading());
  }

  private void place(Design design, Option present, Option proposed) {
    if (design.place() == Place.MIDDLE) {
      add(
          Rule.CHURN_BEHIND,
          "Labels that queries do not bind go after the time; %s."
              .formatted(effect(design.with(design.leading(), search.start().place()), design)));
    } else {
      add(
          present.faults().stream().anyMatch(fault -> fault.rule() == Rule.HOT_PREFIX)
              ? Rule.HOT_PREFIX
              : Rule.LABEL_ORDER,
          "All parts of the series go before the time: the busiest place takes %.0f %% of the writes in place of %.0f %%; %s."
              .formatted(
                  100 * proposed.write().hottest(),
                  100 * present.write().hottest(),
                  effect(design.with(design.leading(), search.start().place()), design)));
    }
  }

  private void time(Design design) {
    Design start = search.start();
    boolean turned = start.descending() != design.descending();
    if (turned || (workload.newest() > 0.5 && !Objects.equals(start.width(), design.width()))) {
      newest(design);
    }
    if (Objects.equals(start.width(), design.width())) {
      return;
    }
    String effect = effect(design.with(start.width(), start.descending()), design);
    BucketWidth before = start.width();
    BucketWidth after = design.width();
    if (after == null) {
      add(
          Rule.WIDE_BUCKETS,
          "A row for each instant in place of buckets of %s; %s.".formatted(text(before), effect));
    } else if (before == null) {
      add(
          Rule.TALL_ROWS,
          "Each sample is a row: take buckets of %s; %s.".formatted(text(after), effect));
    } else if (length(after) < length(before)) {
      add(
          Rule.WIDE_BUCKETS,
          "Buckets of %s in place of %s; %s.".formatted(text(after), text(before), effect));
    } else {
      add(
          Rule.NARROW_BUCKETS,
          "Buckets of %s in place of %s; %s.".formatted(text(after), text(before), effect));
    }
  }

  private void newest(Design design) {
    add(
        Rule.NEWEST_FIRST,
        "%.0f %% of the queries want the newest samples alone, and a row is read as a whole for them, so it should hold few more than they want. %s"
            .formatted(
                100 * workload.newest(),
                design.descending()
                    ? "With the newest row first, a scan forwards finds them at once."
                    : "A scan backwards finds them as well as a descending time would, since it ends after at most 50 rows: the order may stay."));
  }

  private static String text(@Nullable BucketWidth width) {
    return width == null ? "an instant" : width.text();
  }

  private static double length(BucketWidth width) {
    return switch (width) {
      case BucketWidth.Fixed fixed -> (double) fixed.length().toMillis();
      case BucketWidth.Calendar calendar ->
          switch (calendar.unit()) {
            case DAY -> (double) Duration.ofDays(1).toMillis();
            case WEEK -> (double) Duration.ofDays(7).toMillis();
            case MONTH -> (double) Duration.ofDays(30).toMillis();
            case YEAR -> (double) Duration.ofDays(365).toMillis();
          };
    };
  }

  /** Returns the effect of a change in addition to the others, in words. */
  private String effect(Design without, Design with) {
    ReadCosts before = search.mean(without);
    ReadCosts after = search.mean(with);
    return before == null || after == null
        ? "without it, some queries could not be answered"
        : "a query reads %s cells in %s rows and %s ranges in place of %s in %s and %s"
            .formatted(
                Weigher.count(after.cells()),
                Weigher.count(after.rows()),
                Weigher.count(after.requests()),
                Weigher.count(before.cells()),
                Weigher.count(before.rows()),
                Weigher.count(before.requests()));
  }

  private void companion(List<Option> pair) {
    double second = 0;
    for (int i = 0; i < workload.queries().size(); i++) {
      boolean wins = pair.getLast().reads().get(i).cost() < pair.getFirst().reads().get(i).cost();
      second += wins ? workload.queries().get(i).share() : 0;
    }
    ReadCosts alone = Option.mean(workload, List.of(pair.getFirst()));
    ReadCosts both = Option.mean(workload, pair);
    add(
        Rule.COMPANION,
        "%.0f %% of the queries are cheaper in a second layout: all together then cost %.0f %% of what they cost in the first alone, and every sample is written twice: %.1f cells in place of %.1f."
            .formatted(
                100 * second,
                100 * both.cost() / Math.max(1e-9, alone.cost()),
                Advisor.together(pair).cells(),
                pair.getFirst().write().cells()));
  }
}
