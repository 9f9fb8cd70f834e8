package dev.varve.engine.heat;

import dev.varve.engine.heat.HeatSlice.Busiest;
import dev.varve.engine.heat.HeatSlice.LargeRow;
import dev.varve.engine.heat.HeatSlice.Range;
import dev.varve.model.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Merges consecutive slices into one. */
final class HeatMerge {
  private HeatMerge() {}

  /** Returns one slice of all loads. Its data of single rows is that of the most telling slice. */
  static HeatSlice of(List<HeatSlice> slices) {
    HeatAxis axis = new HeatAxis(slices, Bytes.EMPTY, null, KeyRanges.MAX);
    Load[] loads = new Load[axis.rows().size()];
    Arrays.fill(loads, Load.NONE);
    slices.forEach(slice -> axis.add(slice, (row, load) -> loads[row] = loads[row].plus(load)));
    List<Range> ranges = new ArrayList<>();
    for (int row = 0; row < loads.length; row++) {
      ranges.add(new Range(axis.rows().get(row), loads[row], null));
    }
    return new HeatSlice(
        slices.stream().mapToLong(HeatSlice::from).min().orElseThrow(),
        slices.stream().mapToLong(HeatSlice::to).max().orElseThrow(),
        ranges,
        null,
        most(slices, HeatSlice::busiestRead),
        most(slices, HeatSlice::busiestWritten),
        slices.stream()
            .map(HeatSlice::largest)
            .filter(Objects::nonNull)
            .max(Comparator.comparingLong(LargeRow::bytes))
            .orElse(null));
  }

  private static @Nullable Busiest most(
      List<HeatSlice> slices, Function<HeatSlice, @Nullable Busiest> part) {
    return slices.stream()
        .map(part)
        .filter(Objects::nonNull)
        .max(Comparator.comparingInt(Busiest::outOf))
        .orElse(null);
  }
}
