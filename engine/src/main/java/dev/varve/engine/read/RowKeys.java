package dev.varve.engine.read;

import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyPart;
import dev.varve.layout.RowShape;
import dev.varve.layout.plan.Plan;
import dev.varve.store.CellBatch;
import dev.varve.store.Slice;
import java.util.List;

/** Extracts the series and the unit of a row from its key. Not safe for use by several threads. */
final class RowKeys {
  private final List<KeyPart> parts;
  private final boolean[] ofKey;
  private final boolean[] ofUnit;

  RowKeys(RowShape shape) {
    this.parts = shape.parts();
    this.ofKey = new boolean[parts.size()];
    this.ofUnit = new boolean[parts.size()];
    for (int i = 0; i < ofKey.length; i++) {
      KeyPart.Role role = parts.get(i).role();
      ofKey[i] = role.ofKey();
      ofUnit[i] =
          switch (role) {
            case METRIC, TAGS, RESOURCE, TIME, FIELD -> true;
            case LITERAL, SALT, SEQUENCE, KIND -> false;
          };
    }
  }

  /** Returns whether several rows of one strand may form one unit. */
  static boolean spreadsUnits(RowShape shape) {
    return shape.parts().stream()
        .anyMatch(part -> part.role() == KeyPart.Role.SEQUENCE || part.role() == KeyPart.Role.KIND);
  }

  /**
   * Returns whether rows of one unit may be non-adjacent in the strands of a group of several
   * series. They are if a part in which they differ precedes a part that distinguishes series. A
   * plan that names its rows one by one has those of a unit next to each other.
   */
  static boolean scattersUnits(RowShape shape, Plan.StrandGroup group) {
    return scattersUnits(shape) && !namesRows(group);
  }

  /** Returns whether a group reads one row after the other, in the order of its plan. */
  private static boolean namesRows(Plan.StrandGroup group) {
    return group.strands().stream()
        .allMatch(strand -> strand.read().slices().stream().allMatch(Slice::isOneRow));
  }

  /** Returns whether rows of one unit may be non-adjacent in a read in the order of the table. */
  static boolean scattersUnits(RowShape shape) {
    boolean differs = false;
    for (KeyPart part : shape.parts()) {
      switch (part.role()) {
        case SEQUENCE, KIND -> differs = true;
        case METRIC, TAGS, RESOURCE, TIME, FIELD -> {
          if (differs) {
            return true;
          }
        }
        case LITERAL, SALT -> {}
      }
    }
    return false;
  }

  /**
   * Reads the key of a cell's row.
   *
   * @param signature receives the bytes of the parts that the series determines
   * @param unit receives the bytes of all parts except those in which rows of one series, field and
   *     time may differ. Rows of the same unit are decoded together
   * @throws dev.varve.layout.DamagedCellException if the layout cannot decode the row key
   */
  void read(CellBatch cells, int cell, KeyBytes signature, KeyBytes unit) {
    byte[] bytes = cells.bytes();
    int at = cells.rowOffset(cell);
    int end = at + cells.rowLength(cell);
    signature.clear();
    unit.clear();
    for (int i = 0; i < ofKey.length; i++) {
      int next = parts.get(i).skip(bytes, at, end);
      if (ofKey[i]) {
        signature.raw(bytes, at, next - at);
      }
      if (ofUnit[i]) {
        unit.raw(bytes, at, next - at);
      }
      at = next;
    }
  }
}
