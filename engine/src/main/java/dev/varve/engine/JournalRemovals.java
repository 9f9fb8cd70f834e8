package dev.varve.engine;

import dev.varve.engine.blocks.Rescue.DamagedEntries;
import dev.varve.engine.blocks.Rescue.Lost;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.check.AffectedSeries;
import dev.varve.engine.check.CheckFinding;
import dev.varve.engine.check.SeriesTimes;
import dev.varve.model.Resolution;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reports the entries that a repair removes from a journal, with the names of their series. */
final class JournalRemovals {
  private JournalRemovals() {}

  /**
   * @param index of the dataset, complete
   * @param removals receives the removed entries; null if nothing may be removed
   */
  static DamagedEntries of(
      String dataset,
      SeriesIndex index,
      Resolution resolution,
      @Nullable Consumer<CheckFinding> removals) {
    if (removals == null) {
      return DamagedEntries.REFUSE;
    }
    return (text, readable) -> {
      SeriesTimes lost = new SeriesTimes(dataset, index, resolution);
      for (Lost one : readable) {
        lost.add(one.series(), one.first(), one.last());
      }
      List<AffectedSeries> listed = lost.listed();
      removals.accept(
          new CheckFinding(
              CheckFinding.Severity.DAMAGE,
              "dataset " + dataset,
              text
                  + "; it is removed"
                  + (listed.isEmpty()
                      ? ", and its series cannot be determined"
                      : ", and its series and times are listed as far as its bytes tell them"),
              listed,
              lost.count()));
    };
  }
}
