package dev.varve.layout.plan;

import dev.varve.layout.KeyPart;
import dev.varve.layout.ReadScope;
import dev.varve.layout.RowShape;
import dev.varve.model.TimeRange;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Splits a request by eras, the spans of time whose rows interleave ({@link KeyPart.Time#eras()}),
 * and joins the plans. Nearly every request lies within one era.
 */
final class Eras {
  private Eras() {}

  /** Returns the request for each era, in reading order; at least one. */
  static List<PlanRequest> of(RowShape shape, PlanRequest request) {
    int part = shape.timePart();
    if (part < 0) {
      return List.of(request);
    }
    TimeRange times = request.scope().times();
    List<PlanRequest> apart = new ArrayList<>();
    for (TimeRange era : ((KeyPart.Time) shape.parts().get(part)).eras()) {
      if (era.overlaps(times)) {
        apart.add(within(request, era.intersect(times)));
      }
    }
    if (apart.size() < 2) {
      return List.of(request);
    }
    return request.newestFirst() > 0 ? apart.reversed() : apart;
  }

  private static PlanRequest within(PlanRequest request, TimeRange times) {
    ReadScope scope = request.scope();
    return new PlanRequest(
        request.bindings(),
        new ReadScope(
            times,
            scope.fields(),
            scope.versions(),
            scope.attributes(),
            scope.recurring(),
            scope.stamps()),
        request.census(),
        request.newestFirst(),
        request.wholeTable(),
        request.order(),
        request.apart());
  }

  /** Returns a plan that reads two plans one after the other. */
  static Plan joined(Plan earlier, Plan later) {
    if (earlier.groups().isEmpty() || later.groups().isEmpty()) {
      return earlier.groups().isEmpty() ? later : earlier;
    }
    Plan.Alternative first = earlier.alternatives().getFirst();
    Plan.Alternative second = later.alternatives().getFirst();
    Plan.Alternative both =
        new Plan.Alternative(
            first.name(),
            first.cost() + second.cost(),
            first.reason(),
            first.expected().plus(second.expected()));
    return new Plan(
        and(earlier.groups(), later.groups()),
        sum(earlier.estimate(), later.estimate()),
        and(
            List.of(both),
            and(
                earlier.alternatives().subList(1, earlier.alternatives().size()),
                later.alternatives())),
        and(earlier.notes(), later.notes()).stream().distinct().toList());
  }

  private static Plan.Estimate sum(Plan.Estimate earlier, Plan.Estimate later) {
    return new Plan.Estimate(
        Math.max(earlier.partitions(), later.partitions()),
        earlier.slices() + later.slices(),
        sum(earlier.rows(), later.rows()),
        sum(earlier.rowsWanted(), later.rowsWanted()),
        sum(earlier.cells(), later.cells()),
        sum(earlier.cellsWanted(), later.cellsWanted()));
  }

  private static OptionalLong sum(OptionalLong one, OptionalLong other) {
    return one.isEmpty() || other.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(one.getAsLong() + other.getAsLong());
  }

  private static <T> List<T> and(List<T> some, List<T> others) {
    return Stream.concat(some.stream(), others.stream()).toList();
  }
}
