package dev.varve.engine.advice;

import dev.varve.engine.advice.Advice.QueryAdvice;
import dev.varve.engine.advice.Advice.ReadCosts;
import dev.varve.engine.advice.Advice.Reason;
import dev.varve.engine.advice.Advice.Verdict;
import dev.varve.engine.advice.Advice.WriteCosts;
import dev.varve.engine.heat.HeatFinding;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.read.DatasetReader;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.usage.LoggedQuery;
import dev.varve.engine.usage.QueryCosts;
import dev.varve.layout.declared.Declaration;
import dev.varve.layout.declared.DeclaredLayout;
import dev.varve.layout.registry.Layouts;
import dev.varve.store.Capabilities;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Advises on the layout of a dataset. It plans the queries of the log in the present layout and in
 * others, with the counts of the catalog, and compares the amounts that they would read and write.
 */
public final class Advisor {
  /** Maximum cost of a single layout, as a share of the present cost. */
  static final double COST_SHARE_MAX = 0.7;

  /** Maximum cost of two layouts, as a share of that of one, since every write is done twice. */
  static final double PAIR_COST_SHARE_MAX = 0.5;

  /** Maximum cost of a pair of layouts, as a share of that of the pair before it in the search. */
  private static final double BETTER_PAIR_SHARE_MAX = 0.9;

  /** Maximum cost of a sound layout, as a multiple of the present cost, if that has faults. */
  private static final double SOUND_COST_FACTOR_MAX = 2;

  /** Share of the recorded queries below which the advice says how many are not weighed. */
  private static final double COVERED_MIN = 0.8;

  /** Maximum size of blocks, as a share of the size of cells; above it, cells stay. */
  static final double BLOCKS_SHARE_MAX = 0.5;

  private final OpenDataset dataset;
  private final DatasetReader reader;
  private final List<LoggedQuery> log;
  private final List<HeatFinding> heat;
  private final boolean counted;

  /**
   * @param log the queries of all servers
   * @param heat findings from the key counters of the last day
   * @param counted whether they have counted anything
   */
  public Advisor(
      OpenDataset dataset,
      DatasetReader reader,
      List<LoggedQuery> log,
      List<HeatFinding> heat,
      boolean counted) {
    this.dataset = dataset;
    this.reader = reader;
    this.log = log;
    this.heat = heat;
    this.counted = counted;
  }

  /**
   * Returns the advice.
   *
   * @param guard accounts for memory, and may end the work
   */
  public Advice advise(ReadGuard guard) {
    Workload workload = Workload.of(dataset, log, guard);
    SeriesRates rates = SeriesRates.of(dataset);
    Period period = current();
    if (period.isInBlocks()) {
      return ofBlocks(workload, rates, period);
    }
    SampledPoints points = SampledPoints.of(rates, reader, guard);
    PlacedLayout primary = period.primary();
    Capabilities store = dataset.store().capabilities(primary.dataTable().spec());
    Weigher weigher = new Weigher(dataset, workload, rates, points, store, guard);
    List<Option> present = period.layouts().stream().map(weigher::weigh).toList();
    Declaration base = base(primary);
    LayoutNames names = LayoutNames.of(dataset, base.name());
    boolean embedded = dataset.store().isEmbedded();
    Search search =
        new Search(weigher, workload, base, present.getFirst(), names.first(), !embedded);
    List<String> missing = missing(workload, rates);
    if (rates.rates().isEmpty()) {
      return ofNothing(period, missing, present.getFirst());
    }
    Choice choice = choice(workload, present, search);
    String refusal = embedded ? BlocksWeigher.refusal(dataset) : null;
    if (embedded && refusal == null) {
      choice = orBlocks(choice, workload, rates, present, guard);
    }
    Explanation explanation = new Explanation(dataset, workload, rates, search, heat);
    List<Reason> reasons = explanation.reasons(present, choice, refusal);
    boolean changes = choice.verdict() == Verdict.CHANGE || choice.verdict() == Verdict.COMPANION;
    return new Advice(
        dataset.name(),
        now(),
        names(period),
        choice.verdict(),
        missing,
        reasons,
        Option.mean(workload, present),
        together(present),
        changes ? new Proposals(dataset, workload, search, names).of(choice.layouts()) : null,
        queries(workload, present, changes ? choice.layouts() : null));
  }

  private Advice ofNothing(Period period, List<String> missing, Option present) {
    return new Advice(
        dataset.name(),
        now(),
        names(period),
        Verdict.UNKNOWN,
        missing,
        List.of(new Reason(Rule.KEEP, "There is nothing to weigh a layout by.")),
        ReadCosts.NONE,
        present.write(),
        null,
        List.of());
  }

  /** Returns the period that contains the present time. */
  private Period current() {
    List<Period> all = dataset.periods().all();
    Period current = all.getFirst();
    for (Period period : all) {
      current = period.times().from() <= dataset.now() ? period : current;
    }
    return current;
  }

  /** The verdict and the chosen layouts, which are the present ones if nothing changes. */
  record Choice(Verdict verdict, List<Option> layouts) {
    Choice {
      layouts = List.copyOf(layouts);
    }
  }

  private Choice choice(Workload workload, List<Option> present, Search search) {
    double presentCost = Option.mean(workload, present).cost();
    boolean faulty = present.stream().anyMatch(one -> !one.faults().isEmpty());
    Option single = search.best();
    double best = Option.mean(workload, List.of(single)).cost();
    boolean sound = single.faults().isEmpty();
    boolean changes =
        !single.equals(present.getFirst())
            && ((faulty && sound && best <= SOUND_COST_FACTOR_MAX * presentCost)
                || (sound && best <= COST_SHARE_MAX * presentCost));
    Option primary = changes ? single : present.getFirst();
    double alone = changes ? best : presentCost;
    if (present.size() == 1) {
      List<Option> pair = pair(workload, search, primary);
      if (pair.size() == 2 && Option.mean(workload, pair).cost() <= PAIR_COST_SHARE_MAX * alone) {
        return new Choice(Verdict.COMPANION, pair);
      }
    }
    if (changes) {
      return new Choice(Verdict.CHANGE, List.of(single));
    }
    return new Choice(workload.queries().isEmpty() ? Verdict.UNKNOWN : Verdict.KEEP, present);
  }

  /** Returns blocks if they are much smaller than the present cells and not dearer to read. */
  private Choice orBlocks(
      Choice choice, Workload workload, SeriesRates rates, List<Option> present, ReadGuard guard) {
    Option blocks = new BlocksWeigher(dataset, workload, rates, reader).weigh(guard);
    return blocks != null
            && blocks.write().bytes() <= BLOCKS_SHARE_MAX * together(present).bytes()
            && Option.mean(workload, List.of(blocks)).cost()
                <= Option.mean(workload, choice.layouts()).cost()
        ? new Choice(Verdict.CHANGE, List.of(blocks))
        : choice;
  }

  /** Returns the best two layouts, of which the first is the given one if that is as good. */
  private static List<Option> pair(Workload workload, Search search, Option primary) {
    List<Option> best = List.of(primary);
    double least = Option.mean(workload, best).cost();
    List<Option> first = new ArrayList<>(List.of(primary));
    first.addAll(search.sound());
    for (Option one : first) {
      Option other = search.besides(one);
      double cost = Option.mean(workload, List.of(one, other)).cost();
      if (!other.equals(one) && cost < BETTER_PAIR_SHARE_MAX * least) {
        least = cost;
        best = List.of(one, other);
      }
    }
    return best;
  }

  private static Declaration base(PlacedLayout primary) {
    return primary.layout() instanceof DeclaredLayout declared
        ? declared.declaration()
        : ((DeclaredLayout)
                Layouts.of(
                    Layouts.OF_CELLS, Map.of("resolution", primary.layout().resolution().symbol())))
            .declaration();
  }

  private Advice ofBlocks(Workload workload, SeriesRates rates, Period period) {
    List<Reason> reasons = new ArrayList<>();
    reasons.add(
        new Reason(
            Rule.KEEP,
            "Layout blocks packs the samples of a series and day into columns: a query reads the blocks of its series and times alone, whatever its selector binds. Keep it."));
    reasons.addAll(stillInCells());
    reasons.addAll(new Retention(dataset, workload, rates).reasons());
    return new Advice(
        dataset.name(),
        now(),
        names(period),
        workload.queries().isEmpty() ? Verdict.UNKNOWN : Verdict.KEEP,
        missing(workload, rates),
        reasons,
        measured(log),
        WriteCosts.NONE,
        null,
        workload.queries().stream()
            .map(query ->
                new QueryAdvice(
                    query.logged().shape().text(),
                    query.logged().costs().count(),
                    query.share(),
                    measured(query.logged().costs()),
                    measured(query.logged().costs()),
                    null))
            .toList());
  }

  /** Returns the command that converts periods which are in cells still; empty if none is. */
  private List<Reason> stillInCells() {
    boolean some =
        dataset.periods().all().stream()
            .anyMatch(one -> !one.isInBlocks() && !one.times().isEmpty());
    return some && BlocksWeigher.refusal(dataset) == null
        ? List.of(
            new Reason(
                Rule.BLOCKS,
                "Samples before this period are in cells; '%s' converts them beside readers and writers."
                    .formatted(Proposals.conversion(dataset))))
        : List.of();
  }

  private List<String> missing(Workload workload, SeriesRates rates) {
    List<String> missing = new ArrayList<>();
    if (rates.rates().isEmpty()) {
      missing.add(
          "no samples: nothing was written yet, so row sizes and the spread of writes are unknown");
    }
    if (log.isEmpty()) {
      missing.add(
          "no queries recorded yet: the layout is judged by its rows and writes alone; ask again when dashboards have run for a day");
    } else if (workload.queries().isEmpty()) {
      missing.add("no recorded query matches a series that exists");
    } else if (workload.covered() < COVERED_MIN) {
      missing.add(
          "%.0f %% of the recorded queries are not weighed: they are rare kinds, match no series, or have selectors too long to keep"
              .formatted(100 * (1 - workload.covered())));
    }
    if (!counted) {
      missing.add(
          "no key counters of the last day: whether writes are spread is computed from the catalog");
    }
    if (!dataset.trustsExtents()) {
      missing.add(
          "no counts of samples: other programs write the tables, so amounts are guesses of the planner");
    }
    return missing;
  }

  private static List<QueryAdvice> queries(
      Workload workload, List<Option> present, @Nullable List<Option> proposed) {
    List<QueryAdvice> queries = new ArrayList<>();
    for (int i = 0; i < workload.queries().size(); i++) {
      Workload.Query query = workload.queries().get(i);
      queries.add(
          new QueryAdvice(
              query.logged().shape().text(),
              query.logged().costs().count(),
              query.share(),
              measured(query.logged().costs()),
              Option.cheapest(present, i),
              proposed == null ? null : Option.cheapest(proposed, i)));
    }
    return queries;
  }

  /** Returns the combined cost of writing to several layouts. */
  static WriteCosts together(List<Option> options) {
    return new WriteCosts(
        options.stream().mapToDouble(one -> one.write().cells()).sum(),
        options.stream().mapToDouble(one -> one.write().bytes()).sum(),
        options.stream().mapToDouble(one -> one.write().hottest()).max().orElse(0),
        options.stream().mapToDouble(one -> one.write().largestRow()).max().orElse(0));
  }

  private static ReadCosts measured(List<LoggedQuery> all) {
    return measured(all.stream().map(LoggedQuery::costs).reduce(QueryCosts.NONE, QueryCosts::plus));
  }

  private static ReadCosts measured(QueryCosts costs) {
    double count = Math.max(1, costs.count());
    return new ReadCosts(
        costs.requests() / count,
        costs.rows() / count,
        costs.cells() / count,
        costs.bytes() / count,
        0);
  }

  private static List<String> names(Period period) {
    return period.isInBlocks()
        ? List.of(period.layoutName())
        : period.layouts().stream().map(one -> Objects.toString(one.layout().identity())).toList();
  }

  private long now() {
    return dataset.clock().systemMicros() / 1000;
  }
}
