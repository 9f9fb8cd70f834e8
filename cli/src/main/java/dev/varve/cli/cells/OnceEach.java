package dev.varve.cli.cells;

import dev.varve.model.Attribute;
import dev.varve.model.GroupKey;
import dev.varve.model.Value;
import dev.varve.server.points.Point;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Of what several layouts hold, each once: what one layout holds twice stays, what the layouts
 * behind it hold too is left out.
 */
final class OnceEach {
  private record Sample(GroupKey key, String field, long time, Value value) {}

  private final boolean several;
  private final Set<Object> before = new HashSet<>();
  private final Set<Object> here = new HashSet<>();

  /**
   * Prepares for layouts.
   *
   * @param several whether there is more than one
   */
  OnceEach(boolean several) {
    this.several = several;
  }

  /** What of a point the layouts before have not said; empty where that is nothing. */
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

  /** What comes now is of the next layout. */
  void nextLayout() {
    before.addAll(here);
    here.clear();
  }
}
