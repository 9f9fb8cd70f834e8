package dev.varve.store.hbase;

import dev.varve.model.Resolution;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Converts specs of tables that Varve creates to descriptions for HBase, and back.
 *
 * <pre>
 *  table   VARVE_UNIT      unit of the cell times: s, ms, us or ns
 *  family  VARVE_TIME      their time use: DATA or CLOCK
 *          VARVE_FAMILY    the family's name
 *          VERSIONS        HBase's own
 * </pre>
 */
final class TableDescription {
  private static final String UNIT = "VARVE_UNIT";
  private static final String TIME = "VARVE_TIME";
  private static final String FAMILY = "VARVE_FAMILY";

  private TableDescription() {}

  /** Returns the description of a new table. */
  static TableDescriptor of(TableName name, TableSpec spec, HBaseOptions options) {
    TableDescriptorBuilder table =
        TableDescriptorBuilder.newBuilder(name).setValue(UNIT, spec.timeUnit().symbol());
    for (int i = 0; i < spec.families().size(); i++) {
      FamilySpec family = spec.families().get(i);
      table.setColumnFamily(
          ColumnFamilyDescriptorBuilder.newBuilder(familyName(spec, i))
              .setValue(TIME, family.time().name())
              .setValue(FAMILY, family.name())
              .setMaxVersions(family.maxVersions())
              .setTimeToLive(timeToLive(spec, family))
              .setBloomFilterType(BloomType.ROW)
              .setCompressionType(options.compression())
              .setDataBlockEncoding(options.encoding())
              .build());
    }
    return table.build();
  }

  /**
   * Returns the name of a family in HBase, which returns the families of a row in the order of
   * their names. If the spec has another order, the name is prefixed with the index.
   */
  static byte[] familyName(TableSpec spec, int index) {
    String name = spec.families().get(index).name();
    return Bytes.toBytes(spec.foreign() || inOrder(spec) ? name : "%02d%s".formatted(index, name));
  }

  static List<byte[]> familyNames(TableSpec spec) {
    List<byte[]> names = new ArrayList<>();
    for (int i = 0; i < spec.families().size(); i++) {
      names.add(familyName(spec, i));
    }
    return names;
  }

  static boolean inOrder(TableSpec spec) {
    List<String> names = spec.families().stream().map(FamilySpec::name).toList();
    return names.stream().sorted(Comparator.naturalOrder()).toList().equals(names);
  }

  /**
   * Returns how long HBase keeps cells of a family, in seconds. HBase counts from the cell time, in
   * milliseconds. If cell times have another unit, or are not write times, HBase would remove cells
   * that are still needed.
   */
  static int timeToLive(TableSpec spec, FamilySpec family) {
    Duration retention = spec.upkeep().retention();
    if (retention == null
        || spec.timeUnit() != Resolution.MILLISECONDS
        || family.time() != TimeUse.CLOCK) {
      return HConstants.FOREVER;
    }
    long seconds = retention.plusMillis(999).toSeconds();
    return Math.clamp(seconds, 1, HConstants.FOREVER);
  }

  /** Returns the table with longer times to live for families whose retention now requires them. */
  static TableDescriptor keepingLonger(TableSpec spec, TableDescriptor found) {
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(found);
    for (int i = 0; i < spec.families().size(); i++) {
      ColumnFamilyDescriptor family = found.getColumnFamily(familyName(spec, i));
      int wanted = timeToLive(spec, spec.families().get(i));
      if (family.getTimeToLive() < wanted) {
        table.modifyColumnFamily(
            ColumnFamilyDescriptorBuilder.newBuilder(family).setTimeToLive(wanted).build());
      }
    }
    return table.build();
  }

  /**
   * Returns the families, by their names in HBase, that keep cells longer than their retention,
   * with the retention in seconds.
   */
  static Map<String, Integer> shorterTimesToLive(TableSpec spec, TableDescriptor found) {
    Map<String, Integer> shorter = new TreeMap<>();
    for (int i = 0; i < spec.families().size(); i++) {
      ColumnFamilyDescriptor family = found.getColumnFamily(familyName(spec, i));
      int wanted = timeToLive(spec, spec.families().get(i));
      if (family.getTimeToLive() > wanted) {
        shorter.put(family.getNameAsString(), wanted);
      }
    }
    return shorter;
  }

  /** Returns the spec that a table was created with; empty if Varve did not create it. */
  static Optional<TableSpec> specOf(String name, TableDescriptor table) {
    String unit = table.getValue(UNIT);
    if (unit == null) {
      return Optional.empty();
    }
    List<FamilySpec> families = new ArrayList<>();
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      @Nullable String time = text(family, TIME);
      @Nullable String own = text(family, FAMILY);
      if (time == null || own == null) {
        return Optional.empty();
      }
      families.add(new FamilySpec(own, TimeUse.valueOf(time), family.getMaxVersions()));
    }
    return Optional.of(new TableSpec(name, families, Resolution.ofSymbol(unit), Partitioning.NONE));
  }

  private static @Nullable String text(ColumnFamilyDescriptor family, String key) {
    byte[] value = family.getValue(Bytes.toBytes(key));
    return value == null ? null : new String(value, StandardCharsets.UTF_8);
  }
}
