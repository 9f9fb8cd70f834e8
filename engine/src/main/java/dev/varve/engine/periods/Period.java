package dev.varve.engine.periods;

import dev.varve.model.TimeRange;
import java.util.List;

/**
 * A span of time in which one set of layouts is valid.
 *
 * @param index position among the periods of the dataset
 * @param times in the resolution of the dataset, half-open
 * @param layouts the primary and its companions
 */
public record Period(int index, TimeRange times, List<PlacedLayout> layouts) {
  public Period {
    layouts = List.copyOf(layouts);
  }

  public PlacedLayout primary() {
    return layouts.getFirst();
  }

  public boolean hasCompanions() {
    return layouts.size() > 1;
  }
}
