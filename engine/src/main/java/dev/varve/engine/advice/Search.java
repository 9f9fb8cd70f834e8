package dev.varve.engine.advice;

import dev.varve.engine.advice.Advice.ReadCosts;
import dev.varve.engine.advice.Design.Place;
import dev.varve.layout.RefusedException;
import dev.varve.layout.declared.BucketWidth;
import dev.varve.layout.declared.Declaration;
import dev.varve.layout.declared.DeclarationException;
import dev.varve.layout.declared.DeclaredLayout;
import dev.varve.layout.guardrail.Guardrails;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks for better layouts: varies the order of the key, then the form of its time, then the order
 * once more. For one thread.
 */
final class Search {
  /** Widths of buckets that are tried. */
  private static final List<Duration> WIDTHS =
      List.of(
          Duration.ofMinutes(1),
          Duration.ofMinutes(5),
          Duration.ofMinutes(15),
          Duration.ofHours(1),
          Duration.ofHours(3),
          Duration.ofHours(6),
          Duration.ofHours(12),
          Duration.ofDays(1),
          Duration.ofDays(7),
          Duration.ofDays(30));

  /**
   * Penalty for each difference from the present layout, as a share of the cost, so that nothing
   * changes without a reason.
   */
  private static final double CHANGE = 0.02;

  /**
   * Minimum gain of a single change, as a share of the gain of all changes; a change with a smaller
   * gain is undone.
   */
  private static final double NEEDLESS = 0.05;

  /** Maximum number of labels that are tried at the front of the key. */
  private static final int LABELS = 4;

  static final int SALTS = 16;

  private final Weigher weigher;
  private final Workload workload;
  private final Declaration base;
  private final Option present;
  private final Design start;
  private final String name;
  private final boolean spreads;
  private final Map<Design, Optional<Option>> weighed = new LinkedHashMap<>();

  /**
   * @param base the declaration that is varied
   * @param present the present primary
   * @param name of the layouts that are made
   * @param spreads whether the store spreads rows over several machines by their order, so that a
   *     salt may help
   */
  Search(
      Weigher weigher,
      Workload workload,
      Declaration base,
      Option present,
      String name,
      boolean spreads) {
    this.weigher = weigher;
    this.workload = workload;
    this.base = base;
    this.present = present;
    this.name = name;
    this.spreads = spreads;
    this.start = present.design() == null ? Design.of(base) : present.design();
  }

  /** Returns the design from which the search starts. */
  Design start() {
    return start;
  }

  /** Returns the best single layout; the present one if nothing better was found. */
  Option best() {
    Design first = bestOf(orders(start));
    Design timed = bestOf(times(first));
    Design second = bestOf(orders(timed));
    Design salted = spreads ? bestOf(List.of(second, second.withSalts(SALTS))) : second;
    return weighed(simplest(salted)).orElse(present);
  }

  /**
   * Returns the layout that makes the queries cheapest beside another one, or the other if there is
   * none.
   */
  Option besides(Option primary) {
    Option best = primary;
    double least = Option.mean(workload, List.of(primary)).cost();
    for (Optional<Option> other : List.copyOf(weighed.values())) {
      if (other.isPresent() && other.get().faults().isEmpty()) {
        double cost = Option.mean(workload, List.of(primary, other.get())).cost();
        if (cost < least * (1 - CHANGE)) {
          least = cost;
          best = other.get();
        }
      }
    }
    return best;
  }

  /** Returns the mean cost of the queries in a design; null if it cannot answer them. */
  @Nullable ReadCosts mean(Design design) {
    Option option = weighed(design).orElse(null);
    return option == null || option.refused() > 0 ? null : Option.mean(workload, List.of(option));
  }

  /** Returns all layouts without faults that were weighed. */
  List<Option> sound() {
    List<Option> sound = new ArrayList<>();
    weighed.values().forEach(one -> one.filter(this::isSound).ifPresent(sound::add));
    return sound;
  }

  private boolean isSound(Option option) {
    return option.faults().isEmpty();
  }

  private Design bestOf(List<Design> designs) {
    Design best = designs.getFirst();
    double least = Double.POSITIVE_INFINITY;
    for (Design design : designs) {
      double score = score(design);
      if (score < least) {
        least = score;
        best = design;
      }
    }
    return best;
  }

  /**
   * Returns the score of a design, of which the lowest is the best. Faults weigh more than any
   * cost.
   */
  double score(Design design) {
    Option option = weighed(design).orElse(null);
    if (option == null) {
      return Double.MAX_VALUE;
    }
    ReadCosts mean = Option.mean(workload, List.of(option));
    boolean wantsNewest = workload.newest() > 0.5;
    double differences = design.differences(start) + (design.descending() == wantsNewest ? 0 : 0.5);
    return (1 + mean.cost()) * (1 + CHANGE * differences) + 1e9 * option.faults().size();
  }

  /** Takes back every change that brings little by itself. */
  private Design simplest(Design found) {
    Design simplest = found;
    List<Supplier<Design>> backs = new ArrayList<>();
    Design of = found;
    backs.add(() -> of.with(start.leading(), of.place()));
    backs.add(() -> of.with(of.leading(), start.place()));
    backs.add(() -> of.with(start.width(), of.descending()));
    backs.add(() -> of.with(of.width(), start.descending()));
    double gain = Math.max(0, score(start) - score(found));
    for (Supplier<Design> back : backs) {
      Design without = merged(simplest, found, back.get());
      if (!without.equals(simplest) && score(without) <= score(simplest) + NEEDLESS * gain) {
        simplest = without;
      }
    }
    return simplest;
  }

  /**
   * Returns the simplest design where another one differs from the found one, and the other
   * elsewhere.
   */
  private static Design merged(Design simplest, Design found, Design without) {
    return new Design(
        without.leading().equals(found.leading()) ? simplest.leading() : without.leading(),
        without.place() == found.place() ? simplest.place() : without.place(),
        Objects.equals(without.width(), found.width()) ? simplest.width() : without.width(),
        without.descending() == found.descending() ? simplest.descending() : without.descending(),
        simplest.salts());
  }

  private List<Design> orders(Design of) {
    Set<List<String>> orders = new LinkedHashSet<>();
    orders.add(of.leading());
    orders.add(start.leading());
    orders.add(List.of());
    List<String> labels = workload.boundLabels(LABELS);
    for (String label : labels) {
      orders.add(List.of(label));
      List<String> moved = new ArrayList<>(start.leading());
      moved.remove(label);
      moved.addFirst(label);
      orders.add(moved);
      for (String next : labels) {
        if (!next.equals(label)) {
          orders.add(List.of(label, next));
        }
      }
    }
    List<Design> designs = new ArrayList<>();
    if (of.place() == Place.FRONT) {
      designs.add(of);
    }
    for (List<String> order : orders) {
      designs.add(of.with(order, Place.END));
      designs.add(of.with(order, Place.MIDDLE));
    }
    return designs;
  }

  private List<Design> times(Design of) {
    List<Design> designs = new ArrayList<>();
    designs.add(of);
    designs.add(of.with(start.width(), start.descending()));
    for (Duration width : WIDTHS) {
      designs.add(
          of.with(new BucketWidth.Fixed(width), start.width() != null && start.descending()));
    }
    designs.add(of.with(null, false));
    designs.add(of.with(null, true));
    return designs;
  }

  private Optional<Option> weighed(Design design) {
    Optional<Option> known = weighed.get(design);
    if (known == null) {
      known =
          design.equals(present.design())
              ? Optional.of(present)
              : layout(design, name).map(layout -> weigher.weigh(design, layout));
      weighed.put(design, known);
    }
    return known;
  }

  /** Returns the layout of a design; empty if it cannot be declared or a guardrail refuses it. */
  private Optional<DeclaredLayout> layout(Design design, String called) {
    try {
      DeclaredLayout layout = new DeclaredLayout(design.of(base, called));
      Guardrails.enforce(layout, Guardrails.declaration(layout, null));
      return Optional.of(layout);
    } catch (DeclarationException | RefusedException e) {
      return Optional.empty();
    }
  }

  /** Returns the declaration of an option under a name. */
  Declaration declaration(Option option, String called) {
    @Nullable Design design = option.design();
    return (design == null ? start : design).of(base, called);
  }
}
