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
 * Makes a plan read less: labels that nobody looks at are left out, what stands in several places
 * is worked out once, and scans that overlap become one that feeds all who read it. Results stay
 * the same to the last bit, as rows come to every operator in the same order.
 *
 * <p>What is used a second time has to be held until it is asked for. That is done only where it
 * surely stays within a part of the query's memory: a query is not to be refused for what was meant
 * to help it.
 */
public final class Optimiser {
  /** Larger plans are run as they are. */
  private static final int NODES_MAX = 2_000;

  /** As much of the memory of a query may be held for later use: one part in so many. */
  private static final int PART_OF_MEMORY = 4;

  /** Tells how many series fit, at most; only asked where that decides something. */
  @FunctionalInterface
  public interface SeriesCount {
    /**
     * Counts.
     *
     * @return empty where it is not known
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
   * The best plan that gives the same.
   *
   * @param memory how many bytes the query may hold
   */
  public static OptimisedPlan optimise(StepPlan plan, SeriesCount count, long memory) {
    if (size(plan) > NODES_MAX) {
      return new OptimisedPlan(
          plan,
          List.of(),
          Map.of(),
          Map.of(),
          List.of("the plan has more than %,d operators and is run as it is".formatted(NODES_MAX)));
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

  /** How often each vector stands in a plan, but for those inside of one that was seen before. */
  private static void count(StepPlan plan, Map<StepPlan.Vector, Integer> occurrences) {
    if (plan instanceof StepPlan.Vector vector
        && readsSomething(vector)
        && occurrences.merge(vector, 1, Integer::sum) > 1) {
      return;
    }
    plan.inputs().forEach(input -> count(input, occurrences));
  }

  private static boolean readsSomething(StepPlan plan) {
    return switch (plan) {
      case StepPlan.Newest newest -> true;
      case StepPlan.Stored stored -> true;
      default -> plan.inputs().stream().anyMatch(Optimiser::readsSomething);
    };
  }

  /** Puts {@link StepPlan.Kept} around what stands in several places. */
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
        "kept %d stands in %d places and is worked out once"
            .formatted(result.number(), occurrences.get(vector)));
    done.put(vector, result);
    return result;
  }

  private StepPlan.Kept keep(StepPlan.Vector input) {
    return new StepPlan.Kept(kept.computeIfAbsent(input, fresh -> ++lastKept), input);
  }

  /** The same number for what is kept already, now over another scan. */
  private StepPlan.Kept keep(StepPlan.Vector before, StepPlan.Vector now) {
    Integer known = kept.remove(before);
    if (known != null) {
      kept.put(now, known);
    }
    return keep(now);
  }

  /** What is noted of one is to be noted of the other, too, which is equal. */
  private void noteAlso(StepPlan one, StepPlan other) {
    List<Place> places = new ArrayList<>();
    List<Place> others = new ArrayList<>();
    places(one, places);
    places(other, others);
    for (int i = 0; i < places.size(); i++) {
      alsoAt
          .computeIfAbsent(places.get(i).range(), at -> new ArrayList<>())
          .add(others.get(i).range());
    }
  }

  private static void places(StepPlan plan, List<Place> into) {
    switch (plan) {
      case StepPlan.Window window -> into.add(window.place());
      case StepPlan.Aggregate aggregate -> into.add(aggregate.place());
      case StepPlan.OfHistograms histograms -> {
        into.add(histograms.numberPlace());
        into.add(histograms.place());
      }
      default -> {}
    }
    plan.inputs().forEach(input -> places(input, into));
  }

  /** Whether the rows of a plan may be held; if so they count. */
  private boolean mayHold(StepPlan.Vector plan) {
    long bytes = bytes(plan);
    if (bytes > left) {
      notes.add(
          "not worked out once: to hold it could take %,d bytes, of which %,d are left for that"
              .formatted(bytes, left));
      return false;
    }
    left -= bytes;
    return true;
  }

  /** How many bytes the rows of a plan take at most. */
  private long bytes(StepPlan.Vector plan) {
    long rows = rows(plan);
    long each = 64 + 9L * plan.steps().count();
    return rows > Long.MAX_VALUE / each ? Long.MAX_VALUE : rows * each;
  }

  /** How many rows a plan gives at most. */
  private long rows(StepPlan plan) {
    return switch (plan) {
      case StepPlan.Newest newest -> series(newest.scan());
      case StepPlan.Stored stored -> series(stored.scan());
      case StepPlan.Aggregate aggregate -> {
        boolean oneGroup = aggregate.labels().isEmpty() && !aggregate.without();
        yield switch (aggregate.operator()) {
          case COUNT_VALUES, TOPK, BOTTOMK -> rowsOfInputs(aggregate);
          default -> oneGroup ? 1 : rowsOfInputs(aggregate);
        };
      }
      case StepPlan.Absent absent -> 1;
      default -> rowsOfInputs(plan);
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

  /** An operator that reads a scan, and the last of those that its rows go through one by one. */
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
   * Gathers who reads what.
   *
   * @param top the last of the operators above through which rows go one by one; null for none
   */
  private static void collect(
      StepPlan plan, StepPlan.@Nullable Vector top, List<Use> into, Map<Integer, Boolean> seen) {
    switch (plan) {
      case StepPlan.Newest newest -> into.add(new Use(newest.scan(), top == null ? newest : top));
      case StepPlan.Window window when readsAlone(window) ->
          into.add(new Use(((StepPlan.Stored) window.input()).scan(), top == null ? window : top));
      case StepPlan.Kept kept -> {
        if (seen.put(kept.number(), true) == null) {
          collect(kept.input(), null, into, seen);
        }
      }
      default -> {
        boolean passes = passesRows(plan);
        for (StepPlan input : plan.inputs()) {
          boolean goesOn = passes && input instanceof StepPlan.Vector;
          collect(input, goesOn ? (top == null ? (StepPlan.Vector) plan : top) : null, into, seen);
        }
      }
    }
  }

  /** Whether a window needs nothing but the scan below it. */
  private static boolean readsAlone(StepPlan.Window window) {
    return window.input() instanceof StepPlan.Stored
        && (window.parameter() == null || !readsSomething(window.parameter()));
  }

  /** Whether an operator takes the rows of one vector one by one and needs to read nothing else. */
  private static boolean passesRows(StepPlan plan) {
    boolean oneByOne =
        switch (plan) {
          case StepPlan.Each each -> true;
          case StepPlan.WithNumber with -> true;
          case StepPlan.Negated negated -> true;
          case StepPlan.Aggregate aggregate -> true;
          default -> false;
        };
    return oneByOne
        && plan.inputs().stream()
            .noneMatch(other -> other instanceof StepPlan.Scalar && readsSomething(other));
  }

  /** Those together whose times overlap or meet: one read of them all is no longer than several. */
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

  /** All users work at once: the rows of one go on, those of the others wait. */
  private boolean mayHoldAllButOne(List<Use> uses) {
    long bytes = 0;
    for (Use use : uses) {
      long more = bytes(use.top());
      bytes = bytes + more < 0 ? Long.MAX_VALUE : bytes + more;
    }
    if (bytes > left) {
      notes.add(
          "series that %d operators work on are read %d times: to hold what is made of them at once could take %,d bytes, of which %,d are left for that"
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

  /** The same operators over a wider scan. */
  private static StepPlan overScan(StepPlan plan, Scan scan) {
    return switch (plan) {
      case StepPlan.Newest newest ->
          new StepPlan.Newest(scan, newest.at(), newest.lookback(), newest.timestamps());
      case StepPlan.Stored stored -> new StepPlan.Stored(scan, stored.at(), stored.length());
      default -> Rewriting.inputs(plan, input -> overScan(input, scan));
    };
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
      // One node in all of its places, so that what it did is told in each.
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
