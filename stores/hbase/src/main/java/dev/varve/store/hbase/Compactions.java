package dev.varve.store.hbase;

import dev.varve.store.Collected;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.Size;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;

/**
 * What HBase tells of the files of a table's regions, and what follows for deleted cells. Only a
 * major compaction removes them, and only if the deletes were in files by then.
 */
final class Compactions {
  /** By default, regions write what they hold in memory into files once an hour, and then some. */
  private static final Duration FLUSHED_AFTER = Duration.ofMinutes(70);

  private Compactions() {}

  /**
   * Returns whether deleted cells are gone from all regions of a table.
   *
   * @param regions number of regions
   * @param served those of them that servers tell of
   * @param deleted when the last of the cells was deleted
   */
  static Collected collected(
      TableDescriptor table, int regions, List<RegionMetrics> served, Instant deleted) {
    String name = table.getTableName().getNameAsString();
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      if (family.getKeepDeletedCells() != KeepDeletedCells.FALSE) {
        return Collected.unknown(
            "HBase keeps deleted cells of family '%s', because its KEEP_DELETED_CELLS is %s."
                .formatted(family.getNameAsString(), family.getKeepDeletedCells()));
      }
    }
    long clean = served.stream().filter(region -> isClean(region, deleted)).count();
    if (clean == regions) {
      return Collected.GONE;
    }
    return Collected.unknown(
        "HBase removes deleted cells in a major compaction that began after the delete was flushed: %d of %d regions have had none that shows. In HBase's shell, \"flush '%s'\", then \"major_compact '%s'\" removes them, and \"compaction_state '%s'\" shows NONE when it has ended. \"list_table_snapshots '%s'\" shows copies that stay.%s"
            .formatted(
                regions - clean,
                regions,
                name,
                name,
                name,
                name,
                table.getColumnFamilyCount() == 1
                    ? ""
                    : " The table has several families, and HBase does not tell which of them it has compacted."));
  }

  /**
   * Returns whether a region surely has no deleted cell. HBase tells when the oldest compacted file
   * of a region was made, but not of which family it is: with several families and files, nothing
   * follows.
   */
  private static boolean isClean(RegionMetrics region, Instant deleted) {
    boolean quiet = region.getMemStoreSize().get(Size.Unit.BYTE) == 0;
    if (quiet && region.getStoreFileCount() == 0) {
      return true;
    }
    Instant compacted = Instant.ofEpochMilli(region.getLastMajorCompactionTimestamp());
    if (quiet && region.getStoreFileCount() == 1) {
      return compacted.isAfter(deleted);
    }
    return region.getStoreCount() == 1 && compacted.isAfter(deleted.plus(FLUSHED_AFTER));
  }
}
