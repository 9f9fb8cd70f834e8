package dev.varve.engine.periods;

import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.periods.Period.Storage.Blocks;
import dev.varve.engine.periods.Period.Storage.Cells;
import dev.varve.layout.Domain;
import dev.varve.layout.block.BlockLayout;
import dev.varve.model.TimeRange;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * A span of time in which samples are stored in one way.
 *
 * @param index position among the periods of the dataset
 * @param times that reads and writes of the period concern, in the resolution of the dataset
 * @param stored times of which its tables may have samples; wider than {@code times} if blocks of a
 *     later period answer for some of them
 */
public record Period(int index, TimeRange times, TimeRange stored, Storage storage) {
  /** The form in which the samples of a period are stored. */
  public sealed interface Storage {
    /**
     * In the cells of layouts.
     *
     * @param layouts the primary, which acknowledges writes, and its companions
     */
    record Cells(List<PlacedLayout> layouts) implements Storage {
      public Cells {
        layouts = List.copyOf(layouts);
      }
    }

    /** Blocks: a journal, heads in memory, and the blocks themselves. */
    record Blocks(BlockTiers tiers) implements Storage {}
  }

  /** Returns the period with other times that it answers for. */
  public Period answering(TimeRange other) {
    TimeRange both =
        new TimeRange(Math.min(stored.from(), other.from()), Math.max(stored.to(), other.to()));
    return new Period(index, other, both, storage);
  }

  /** Returns the period after its tables were emptied. */
  Period emptied() {
    return new Period(index, times, times, storage);
  }

  public boolean isInBlocks() {
    return storage instanceof Blocks;
  }

  /**
   * Returns the tiers of blocks.
   *
   * @throws NoSuchElementException if the period is stored in cells
   */
  public BlockTiers tiers() {
    return switch (storage) {
      case Blocks(BlockTiers tiers) -> tiers;
      case Cells cells -> throw new NoSuchElementException("a period in cells has no blocks");
    };
  }

  /** Returns the primary and its companions; none if the period is stored in blocks. */
  public List<PlacedLayout> layouts() {
    return switch (storage) {
      case Blocks blocks -> List.of();
      case Cells(List<PlacedLayout> layouts) -> layouts;
    };
  }

  /**
   * Returns the layout that acknowledges writes.
   *
   * @throws NoSuchElementException if the period is stored in blocks
   */
  public PlacedLayout primary() {
    return layouts().getFirst();
  }

  /** Returns the set of points that reads of the period can return. */
  public Domain domain() {
    return isInBlocks() ? BlockLayout.DOMAIN : primary().layout().domain();
  }

  /** Returns the name of the layout that is read if nothing is cheaper. */
  public String layoutName() {
    return isInBlocks() ? BlockLayout.NAME : primary().name();
  }

  public boolean hasCompanions() {
    return layouts().size() > 1;
  }
}
