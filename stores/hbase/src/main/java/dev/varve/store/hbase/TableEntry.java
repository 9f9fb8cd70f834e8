package dev.varve.store.hbase;

import dev.varve.store.FamilySpec;
import dev.varve.store.StoreException;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.TableName;

/** The state of one open table. */
final class TableEntry {
  private final TableName name;
  private final TableSpec spec;
  private final byte[][] families;
  private final int[] maxVersions;
  private final AtomicBoolean dropped;

  /**
   * Creates an entry.
   *
   * @param families their names in HBase, in the order of the spec
   * @param dropped set when this store drops the table
   */
  TableEntry(TableName name, TableSpec spec, List<byte[]> families, AtomicBoolean dropped) {
    this.name = name;
    this.spec = spec;
    this.families = families.toArray(byte[][]::new);
    this.maxVersions = spec.families().stream().mapToInt(FamilySpec::maxVersions).toArray();
    this.dropped = dropped;
  }

  TableName name() {
    return name;
  }

  TableSpec spec() {
    return spec;
  }

  byte[] family(int index) {
    return families[index];
  }

  int familyCount() {
    return families.length;
  }

  /** Returns the index of a cell's family in the spec; -1 if it is not in the spec. */
  int familyOf(CellParts cell) {
    for (int i = 0; i < families.length; i++) {
      if (cell.isOfFamily(families[i])) {
        return i;
      }
    }
    return -1;
  }

  /** Returns whether a column of the family holds one cell, which a later put replaces. */
  boolean isLatestOnly(int family) {
    FamilySpec named = spec.families().get(family);
    return named.time() == TimeUse.CLOCK && named.maxVersions() == 1;
  }

  int maxVersions(int family) {
    return maxVersions[family];
  }

  void ensureThere() {
    if (dropped.get()) {
      throw droppedException();
    }
  }

  boolean isDropped() {
    return dropped.get();
  }

  StoreException droppedException() {
    return new StoreException(whyGone());
  }

  String whyGone() {
    return "table '%s' was dropped".formatted(spec.name());
  }

  /** Converts a failed call for a caller that only reads, or that receives no outcomes. */
  StoreException exception(Failure failure, String doing) {
    return failure.isMissingTable()
        ? droppedException()
        : failure.toException("%s table '%s'".formatted(doing, spec.name()));
  }
}
