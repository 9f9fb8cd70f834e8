package dev.varve.store.hbase;

import dev.varve.store.Collected;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.Size;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Determines from HBase's reports about the regions of a table whether deleted cells are gone. Only
 * a major compaction removes such cells, and only if the deletes were in files when it ran. HBase
 * does not report when a region was flushed, so the answer is certain only while the region's
 * memory is empty.
 */
final class Compactions {
  private static final Pattern VERSION = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})\\..*");

  private Compactions() {}

  /**
   * The report of a cluster about the regions of a table.
   *
   * @param regions all regions of the table, with their replicas
   * @param served metrics of the regions, as region servers report them
   * @param version the version of the master; except during an upgrade, all servers run the same
   *     version
   */
  record RegionReport(List<RegionInfo> regions, List<RegionMetrics> served, String version) {}

  /**
   * Returns whether deleted cells are surely gone from all regions of a table.
   *
   * @param deleted when the last of the cells was deleted
   */
  static Collected collected(TableDescriptor table, RegionReport report, Instant deleted) {
    String name = table.getTableName().getNameAsString();
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      if (family.getKeepDeletedCells() != KeepDeletedCells.FALSE) {
        return Collected.unknown(
            "HBase keeps deleted cells of family '%s', because its KEEP_DELETED_CELLS is %s."
                .formatted(family.getNameAsString(), family.getKeepDeletedCells()));
      }
    }
    List<RegionInfo> regions =
        report.regions().stream()
            .filter(region -> region.getReplicaId() == RegionInfo.DEFAULT_REPLICA_ID)
            .toList();
    long clean =
        regions.stream().filter(region -> isClean(region, report.served(), deleted)).count();
    boolean exact = tellsEveryByte(report.version());
    if (exact && !regions.isEmpty() && clean == regions.size()) {
      return Collected.GONE;
    }
    return Collected.unknown(
        "HBase removes deleted cells in a major compaction that began after the delete was flushed: %s. In HBase's shell, \"flush '%s'\", then \"major_compact '%s'\" removes them, and \"compaction_state '%s'\" shows NONE when it has ended. \"list_table_snapshots '%s'\" shows copies that stay."
            .formatted(shown(exact, clean, regions.size()), name, name, name, name));
  }

  private static String shown(boolean exact, long clean, int regions) {
    return exact
        ? "%d of %d regions have had none that shows".formatted(regions - clean, regions)
        : "servers before HBase 2.6 do not tell whether they have had one";
  }

  /**
   * Returns whether servers of a version report the bytes that a region has in memory. Earlier
   * versions report whole mebibytes, rounded down.
   */
  private static boolean tellsEveryByte(String version) {
    Matcher parts = VERSION.matcher(version);
    if (!parts.matches()) {
      return false;
    }
    int major = Integer.parseInt(parts.group(1));
    return major > 2 || (major == 2 && Integer.parseInt(parts.group(2)) >= 6);
  }

  private static boolean isClean(RegionInfo region, List<RegionMetrics> served, Instant deleted) {
    List<RegionMetrics> reports =
        served.stream()
            .filter(one -> Bytes.equals(one.getRegionName(), region.getRegionName()))
            .toList();
    return !reports.isEmpty() && reports.stream().allMatch(one -> isClean(one, deleted));
  }

  /**
   * Returns whether a region surely has no deleted cell: its memory is empty, and it has no file,
   * or a single one, which a major compaction made. If there are several files, HBase does not
   * report when each was written.
   */
  private static boolean isClean(RegionMetrics region, Instant deleted) {
    if (region.getMemStoreSize().get(Size.Unit.BYTE) != 0) {
      return false;
    }
    return region.getStoreFileCount() == 0
        || (region.getStoreFileCount() == 1
            && Instant.ofEpochMilli(region.getLastMajorCompactionTimestamp()).isAfter(deleted));
  }
}
