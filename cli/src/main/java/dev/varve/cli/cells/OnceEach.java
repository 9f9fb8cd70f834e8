package dev.varve.cli.cells;

import dev.varve.formats.points.Point;
import dev.varve.model.Attribute;
import dev.varve.model.GroupKey;
import dev.varve.model.Value;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Removes points that an earlier layout has already returned. Points that one layout holds twice
 * stay.
 */
final class OnceEach {
  private record Sample(GroupKey key, String field, long time, Value value) {}

  private final boolean several;
  private final Set<Object> before = new HashSet<>();
  private final Set<Object> here = new HashSet<>();

  /**
   * Creates a filter.
   *
   * @param several whether there is more than one layout
   */
  OnceEach(boolean several) {
    this.several = several;
  }

  /** Returns the part of a point that earlier layouts have not returned; empty if there is none. */
  Optional<Point> of(Point point) {
    if (!several) {
      return Optional.of(point);
    }
    return switch (point) {
      case Point.Described(Attribute attribute) ->
          isFresh(attribute) ? Optional.of(point) : Optional.empty();
      case Point.Sample(GroupKey key, long time, Map<String, Value> fields) -> {
        Map<String, Value> fresh = new LinkedHashMap<>(fields);
        fresh.entrySet().removeIf(e -> !isFresh(new Sample(key, e.getKey(), time, e.getValue())));
        yield fresh.isEmpty() ? Optional.empty() : Optional.of(new Point.Sample(key, time, fresh));
      }
    };
  }

  private boolean isFresh(Object said) {
    here.add(said);
    return !before.contains(said);
  }

  /** Begins the next layout. */
  void nextLayout() {
    before.addAll(here);
    here.clear();
  }
}
