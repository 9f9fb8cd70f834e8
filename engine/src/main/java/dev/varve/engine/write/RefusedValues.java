package dev.varve.engine.write;

import dev.varve.layout.Refusal;
import dev.varve.model.SampleGroup;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The values of one group that any of several layouts refuses, each value once. */
final class RefusedValues implements LayoutEdits.Refusals {
  private record Value(int column, int index) {}

  private final SampleGroup group;
  private final List<BitSet> indexes = new ArrayList<>();
  private final Map<Value, Refusal> first = new LinkedHashMap<>();

  RefusedValues(SampleGroup group) {
    this.group = group;
    group.columns().forEach(column -> indexes.add(new BitSet()));
  }

  @Override
  public void refuse(int column, int index, Refusal refusal) {
    for (int c = 0; c < group.columns().size(); c++) {
      if ((c == column || column < 0) && group.columns().get(c).has(index)) {
        indexes.get(c).set(index);
        first.putIfAbsent(new Value(c, index), refusal);
      }
    }
  }

  boolean isEmpty() {
    return first.isEmpty();
  }

  /** Returns, for each column, the indexes whose values are refused. */
  List<BitSet> indexes() {
    return indexes;
  }

  /** Reports the refusals to a part. */
  void tell(Part part) {
    first.forEach((value, refusal) -> part.refuse(value.column(), value.index(), refusal));
  }
}
