package dev.varve.engine.periods;

import dev.varve.engine.blocks.BlockTiers;
import dev.varve.layout.Domain;
import dev.varve.layout.block.BlockLayout;
import dev.varve.model.TimeRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A span of time in which one set of layouts is valid: layouts of cells, or blocks.
 *
 * @param index position among the periods of the dataset
 * @param times in the resolution of the dataset, half-open
 * @param layouts the primary and its companions; empty if the period is stored in blocks
 * @param blocks the tiers of blocks; null if the period is stored in cells
 */
public record Period(
    int index, TimeRange times, List<PlacedLayout> layouts, @Nullable BlockTiers blocks) {
  public Period {
    layouts = List.copyOf(layouts);
  }

  /**
   * Returns the layout that acknowledges writes.
   *
   * @throws java.util.NoSuchElementException if the period is stored in blocks
   */
  public PlacedLayout primary() {
    return layouts.getFirst();
  }

  /** Returns the set of points that reads of the period can return. */
  public Domain domain() {
    return blocks != null ? BlockLayout.DOMAIN : primary().layout().domain();
  }

  /** Returns the name of the layout that is read if nothing is cheaper. */
  public String layoutName() {
    return blocks != null ? BlockLayout.NAME : primary().name();
  }

  public boolean hasCompanions() {
    return layouts.size() > 1;
  }
}
