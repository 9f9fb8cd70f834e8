package dev.varve.query.promql.plan;

import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.SourceRange;
import dev.varve.query.promql.plan.OptimisedPlan.SharedScan;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes a plan read less: it drops unused labels, evaluates equal subexpressions once, and merges
 * overlapping scans. Results remain identical to the last bit, because every operator receives rows
 * in the same order.
 *
 * <p>A result that is reused must be held in the meantime. The optimiser only does this if the
 * result certainly fits in a part of the query's memory: the optimisation must not cause a query to
 * fail.
 */
public final class Optimiser {
  /** Larger plans are not optimised. */
  private static final int NODES_MAX = 2_000;

  /** Divisor of a query's memory: results for reuse may take at most this fraction. */
  private static final int PART_OF_MEMORY = 4;

  /**
   * Returns an upper bound of the number of series of a scan. Called only if a decision depends on
   * it.
   */
  @FunctionalInterface
  public interface SeriesCount {
    /**
     * Counts series.
     *
     * @return empty if unknown
     */
    OptionalLong of(Scan scan);
  }

  private final SeriesCount count;
  private final List<String> notes = new ArrayList<>();
  private final Map<SourceRange, List<SourceRange>> alsoAt = new HashMap<>();
  private final Map<StepPlan.Vector, Integer> kept = new HashMap<>();
  private final Map<List<LabelMatcher>, OptionalLong> counted = new HashMap<>();
  private final Set<StepPlan.Vector> refused = new HashSet<>();
  private int lastKept;
  private long left;

  private Optimiser(SeriesCount count, long memory) {
    this.count = count;
    this.left = memory / PART_OF_MEMORY;
  }

  /**
   * Optimises a plan.
   *
   * @param memory maximum number of bytes that the query may hold
   */
  public static OptimisedPlan optimise(StepPlan plan, SeriesCount count, long memory) {
    if (size(plan) > NODES_MAX) {
      return new OptimisedPlan(
          plan,
          List.of(),
          Map.of(),
          Map.of(),
          List.of("a plan of more than %,d operators is not optimised".formatted(NODES_MAX)));
    }
    return new Optimiser(count, memory).optimise(ProjectionPushDown.apply(plan));
  }

  private static int size(StepPlan plan) {
    int size = 1;
    for (StepPlan input : plan.inputs()) {
      size += size(input);
    }
    return size;
  }

  private OptimisedPlan optimise(StepPlan plan) {
    Map<StepPlan.Vector, Integer> occurrences = new HashMap<>();
    count(plan, occurrences);
    StepPlan once = keepEqual(plan, occurrences, new HashMap<>());
    List<SharedScan> shared = new ArrayList<>();
    StepPlan root = shareScans(once, shared);
    Map<Integer, Integer> uses = new HashMap<>();
    countUses(root, uses);
    return new OptimisedPlan(root, shared, uses, alsoAt, notes);
  }

  /** Counts the occurrences of each vector, without descending into a repeated one again. */
  private static void count(StepPlan plan, Map<StepPlan.Vector, Integer> occurrences) {
    if (plan instanceof StepPlan.Vector vector
        && readsSomething(vector)
        && occurrences.merge(vector, 1, Integer::sum) > 1) {
      return;
    }
    plan.inputs().forEach(input -> count(input, occurrences));
  }

  private static boolean readsSomething(StepPlan plan) {
    return plan instanceof StepPlan.Scanning
        || plan.inputs().stream().anyMatch(Optimiser::readsSomething);
  }

  /** Wraps vectors that occur several times in {@link StepPlan.Kept}. */
  private StepPlan keepEqual(
      StepPlan plan,
      Map<StepPlan.Vector, Integer> occurrences,
      Map<StepPlan.Vector, StepPlan.Kept> done) {
    if (!(plan instanceof StepPlan.Vector vector) || occurrences.getOrDefault(vector, 0) < 2) {
      return Rewriting.inputs(plan, input -> keepEqual(input, occurrences, done));
    }
    StepPlan.Kept known = done.get(vector);
    if (known != null) {
      noteAlso(known.input(), vector);
      return known;
    }
    StepPlan inside = Rewriting.inputs(plan, input -> keepEqual(input, occurrences, done));
    if (refused.contains(vector) || !mayHold(vector)) {
      refused.add(vector);
      return inside;
    }
    StepPlan.Kept result = keep((StepPlan.Vector) inside);
    notes.add(
        "kept %d is used in %d places and evaluated once"
            .formatted(result.number(), occurrences.get(vector)));
    done.put(vector, result);
    return result;
  }

  private StepPlan.Kept keep(StepPlan.Vector input) {
    return new StepPlan.Kept(kept.computeIfAbsent(input, fresh -> ++lastKept), input);
  }

  /** Keeps the number of a kept vector for its version over another scan. */
  private StepPlan.Kept keep(StepPlan.Vector before, StepPlan.Vector now) {
    Integer known = kept.remove(before);
    if (known != null) {
      kept.put(now, known);
    }
    return keep(now);
  }

  /** Makes notes about one expression apply to another, equal one. */
  private void noteAlso(StepPlan one, StepPlan other) {
    List<QueryPosition> positions = new ArrayList<>();
    List<QueryPosition> others = new ArrayList<>();
    positions(one, positions);
    positions(other, others);
    for (int i = 0; i < positions.size(); i++) {
      alsoAt
          .computeIfAbsent(positions.get(i).range(), at -> new ArrayList<>())
          .add(others.get(i).range());
    }
  }

  private static void positions(StepPlan plan, List<QueryPosition> into) {
    into.addAll(plan.positions());
    plan.inputs().forEach(input -> positions(input, into));
  }

  /** Reserves memory for the rows of a plan. Returns whether there was enough. */
  private boolean mayHold(StepPlan.Vector plan) {
    long bytes = bytes(plan);
    if (bytes > left) {
      notes.add(
          "not evaluated once: holding it could take %,d bytes, but only %,d are left"
              .formatted(bytes, left));
      return false;
    }
    left -= bytes;
    return true;
  }

  /** Returns the maximum size of the rows of a plan in bytes. */
  private long bytes(StepPlan.Vector plan) {
    long rows = rows(plan);
    long each = 64 + 9L * plan.steps().count();
    return rows > Long.MAX_VALUE / each ? Long.MAX_VALUE : rows * each;
  }

  /** Returns the maximum number of rows of a plan. */
  private long rows(StepPlan plan) {
    return switch (plan) {
      case StepPlan.Scanning scanning -> series(scanning.scan());
      case StepPlan.Aggregate aggregate -> {
        boolean oneGroup = aggregate.labels().isEmpty() && !aggregate.without();
        yield switch (aggregate.operator()) {
          case COUNT_VALUES, TOPK, BOTTOMK -> rowsOfInputs(aggregate);
          case AVG, COUNT, GROUP, LIMITK, LIMIT_RATIO, MAX, MIN, QUANTILE, STDDEV, STDVAR, SUM ->
              oneGroup ? 1 : rowsOfInputs(aggregate);
        };
      }
      case StepPlan.Absent absent -> 1;
      case StepPlan.RowOperator operator -> rowsOfInputs(operator);
      case StepPlan.Scalar _,
          StepPlan.Stepped _,
          StepPlan.Nothing _,
          StepPlan.Window _,
          StepPlan.OfTime _,
          StepPlan.Join _,
          StepPlan.OfNumber _,
          StepPlan.Kept _ ->
          rowsOfInputs(plan);
    };
  }

  private long rowsOfInputs(StepPlan plan) {
    long rows = plan.inputs().isEmpty() ? 1 : 0;
    for (StepPlan input : plan.inputs()) {
      long more = input instanceof StepPlan.Scalar ? 0 : rows(input);
      rows = rows + more < 0 ? Long.MAX_VALUE : rows + more;
    }
    return rows;
  }

  private long series(Scan scan) {
    return counted
        .computeIfAbsent(scan.matchers(), matchers -> count.of(scan))
        .orElse(Long.MAX_VALUE);
  }

  /**
   * An operator that reads a scan, and the topmost of the operators that process its rows one by
   * one.
   */
  private record Use(Scan scan, StepPlan.Vector top) {}

  private StepPlan shareScans(StepPlan plan, List<SharedScan> shared) {
    List<Use> uses = new ArrayList<>();
    collect(plan, null, uses, new HashMap<>());
    Map<List<LabelMatcher>, List<Use>> bySeries = new LinkedHashMap<>();
    for (Use use : uses) {
      bySeries.computeIfAbsent(use.scan().matchers(), m -> new ArrayList<>()).add(use);
    }
    IdentityHashMap<StepPlan.Vector, StepPlan.Vector> replaced = new IdentityHashMap<>();
    for (List<Use> ofSameSeries : bySeries.values()) {
      for (List<Use> overlapping : clusters(ofSameSeries)) {
        if (overlapping.size() > 1 && mayHoldAllButOne(overlapping)) {
          shared.add(share(overlapping, replaced));
        }
      }
    }
    return replaced.isEmpty() ? plan : replace(plan, replaced);
  }

  /**
   * Collects the uses of scans.
   *
   * @param top the topmost of the operators above that process rows one by one; null for none
   */
  private static void collect(
      StepPlan plan, StepPlan.@Nullable Vector top, List<Use> into, Map<Integer, Boolean> seen) {
    if (plan instanceof StepPlan.Newest newest) {
      into.add(new Use(newest.scan(), top == null ? newest : top));
    } else if (plan instanceof StepPlan.Window window && readsAlone(window)) {
      into.add(new Use(((StepPlan.Stored) window.input()).scan(), top == null ? window : top));
    } else if (plan instanceof StepPlan.Kept kept) {
      if (seen.put(kept.number(), true) == null) {
        collect(kept.input(), null, into, seen);
      }
    } else {
      boolean passes = passesRows(plan);
      for (StepPlan input : plan.inputs()) {
        boolean goesOn = passes && input instanceof StepPlan.Vector;
        collect(input, goesOn ? (top == null ? (StepPlan.Vector) plan : top) : null, into, seen);
      }
    }
  }

  /** Returns whether a window needs no scan but its own. */
  private static boolean readsAlone(StepPlan.Window window) {
    return window.input() instanceof StepPlan.Stored
        && (window.parameter() == null || !readsSomething(window.parameter()));
  }

  /**
   * Returns whether an operator processes the rows of one vector one by one and reads nothing else.
   */
  private static boolean passesRows(StepPlan plan) {
    boolean oneByOne =
        plan instanceof StepPlan.Each
            || plan instanceof StepPlan.WithNumber
            || plan instanceof StepPlan.Negated
            || plan instanceof StepPlan.Aggregate;
    return oneByOne
        && plan.inputs().stream()
            .noneMatch(other -> other instanceof StepPlan.Scalar && readsSomething(other));
  }

  /**
   * Groups scans whose times overlap or are adjacent, so that one read is not longer than several.
   */
  private static List<List<Use>> clusters(List<Use> uses) {
    List<Use> sorted = new ArrayList<>(uses);
    sorted.removeIf(use -> use.scan().to() < use.scan().from());
    sorted.sort(Comparator.comparingLong(use -> use.scan().from()));
    List<List<Use>> clusters = new ArrayList<>();
    List<Scan> spans = new ArrayList<>();
    for (Use use : sorted) {
      int cluster = 0;
      while (cluster < spans.size() && !isOne(spans.get(cluster), use.scan())) {
        cluster++;
      }
      if (cluster == spans.size()) {
        clusters.add(new ArrayList<>());
        spans.add(use.scan());
      }
      clusters.get(cluster).add(use);
      spans.set(cluster, spans.get(cluster).spanning(use.scan()));
    }
    return clusters;
  }

  private static boolean isOne(Scan earlier, Scan later) {
    return later.from() <= earlier.to() + 1 && earlier.isOneWith(later);
  }

  /**
   * Reserves memory for the rows of all users. They run at the same time: the rows of one are
   * passed on, those of the others are held.
   */
  private boolean mayHoldAllButOne(List<Use> uses) {
    long bytes = 0;
    for (Use use : uses) {
      long more = bytes(use.top());
      bytes = bytes + more < 0 ? Long.MAX_VALUE : bytes + more;
    }
    if (bytes > left) {
      notes.add(
          "series used by %d operators are read %d times: holding their results at once could take %,d bytes, but only %,d are left"
              .formatted(uses.size(), uses.size(), bytes, left));
      return false;
    }
    left -= bytes;
    return true;
  }

  private SharedScan share(
      List<Use> uses, IdentityHashMap<StepPlan.Vector, StepPlan.Vector> replaced) {
    Scan all = uses.getFirst().scan();
    boolean widened = false;
    for (Use use : uses) {
      Scan wider = all.spanning(use.scan());
      widened |= !wider.equals(all) && all.from() <= all.to();
      all = wider;
    }
    Scan scan = all;
    List<StepPlan.Kept> users = new ArrayList<>();
    for (Use use : uses) {
      StepPlan.Vector over = (StepPlan.Vector) overScan(use.top(), scan);
      StepPlan.Kept user = keep(use.top(), over);
      replaced.put(use.top(), user);
      users.add(user);
    }
    notes.add(
        "one scan feeds %s%s"
            .formatted(
                String.join(", ", users.stream().map(user -> "kept " + user.number()).toList()),
                widened ? ", and reads the times of all of them" : ""));
    return new SharedScan(scan, users);
  }

  /** Returns the same operators over a wider scan. */
  private static StepPlan overScan(StepPlan plan, Scan scan) {
    return plan instanceof StepPlan.Scanning scanning
        ? scanning.over(scan)
        : Rewriting.inputs(plan, input -> overScan(input, scan));
  }

  private static StepPlan replace(
      StepPlan plan, IdentityHashMap<StepPlan.Vector, StepPlan.Vector> replaced) {
    StepPlan.Vector other = plan instanceof StepPlan.Vector ? replaced.get(plan) : null;
    if (other != null) {
      return other;
    }
    if (plan instanceof StepPlan.Kept kept
        && replaced.get(kept.input()) instanceof StepPlan.Kept same) {
      return same;
    }
    StepPlan changed = Rewriting.inputs(plan, input -> replace(input, replaced));
    if (plan instanceof StepPlan.Kept kept) {
      // Keep it a single node in all its places, so that its figures are shown in each.
      replaced.put(kept, (StepPlan.Kept) changed);
    }
    return changed;
  }

  private static void countUses(StepPlan plan, Map<Integer, Integer> uses) {
    if (plan instanceof StepPlan.Kept kept && uses.merge(kept.number(), 1, Integer::sum) > 1) {
      return;
    }
    plan.inputs().forEach(input -> countUses(input, uses));
  }
}
