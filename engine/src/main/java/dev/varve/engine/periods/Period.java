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
 * @param times that reads and writes of the period concern, in the resolution of the dataset
 * @param stored times of which its tables may have samples; wider than {@code times} if blocks of a
 *     later period answer for some of them
 * @param layouts the primary and its companions; empty if the period is stored in blocks
 * @param blocks the tiers of blocks; null if the period is stored in cells
 */
public record Period(
    int index,
    TimeRange times,
    TimeRange stored,
    List<PlacedLayout> layouts,
    @Nullable BlockTiers blocks) {
  public Period {
    layouts = List.copyOf(layouts);
  }

  /** Returns the period with other times that it answers for. */
  public Period answering(TimeRange other) {
    TimeRange both =
        new TimeRange(Math.min(stored.from(), other.from()), Math.max(stored.to(), other.to()));
    return new Period(index, other, both, layouts, blocks);
  }

  /** Returns the period after its tables were emptied. */
  Period emptied() {
    return new Period(index, times, times, layouts, blocks);
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
