package dev.varve.store.hbase;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.store.Collected;
import java.time.Instant;
import java.util.List;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.RegionMetricsBuilder;
import org.apache.hadoop.hbase.Size;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** What follows from the metrics that servers send. */
class CompactionsTest {
  private static final Instant DELETED = Instant.ofEpochSecond(1_000_000);
  private static final Instant LATER = DELETED.plusSeconds(86_400);
  private static final TableName NAME = TableName.valueOf("t");
  private static final TableDescriptor TABLE =
      TableDescriptorBuilder.newBuilder(NAME)
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of("d"))
          .build();
  private static final RegionInfo FIRST = region("", "m", 0);
  private static final RegionInfo SECOND = region("m", "", 0);

  private static RegionInfo region(String from, String to, int replica) {
    return RegionInfoBuilder.newBuilder(NAME)
        .setStartKey(Bytes.toBytes(from))
        .setEndKey(Bytes.toBytes(to))
        .setRegionId(7)
        .setReplicaId(replica)
        .build();
  }

  private static RegionMetrics metrics(RegionInfo region, int files, int mebibytes, Instant major) {
    return RegionMetricsBuilder.newBuilder(region.getRegionName())
        .setStoreCount(1)
        .setStoreFileCount(files)
        .setMemStoreSize(new Size(mebibytes, Size.Unit.MEGABYTE))
        .setLastMajorCompactionTimestamp(major.toEpochMilli())
        .build();
  }

  private static Collected collected(
      String version, List<RegionInfo> regions, RegionMetrics... served) {
    return Compactions.collected(
        TABLE, new Compactions.RegionReport(regions, List.of(served), version), DELETED);
  }

  private static boolean gone(RegionMetrics served) {
    return collected("2.6.4-hadoop3", List.of(FIRST), served).gone();
  }

  @Test
  void aRegionIsCleanWithoutMemoryAndWithAtMostOneCompactedFile() {
    assertThat(gone(metrics(FIRST, 0, 0, Instant.EPOCH))).isTrue();
    assertThat(gone(metrics(FIRST, 1, 0, LATER))).isTrue();
    assertThat(gone(metrics(FIRST, 1, 0, DELETED))).isFalse();
    assertThat(gone(metrics(FIRST, 2, 0, LATER))).isFalse();
    assertThat(gone(metrics(FIRST, 1, 1, LATER))).isFalse();
    assertThat(gone(metrics(FIRST, 0, 1, LATER))).isFalse();
  }

  @Test
  void serversThatRoundMemoryDownProveNothing() {
    for (String version : List.of("2.5.11", "2.2.0-hadoop3", "1.7.2", "0.0.0", "", "unknown")) {
      Collected report = collected(version, List.of(FIRST), metrics(FIRST, 1, 0, LATER));
      assertThat(report.gone()).as(version).isFalse();
      assertThat(report.text())
          .contains("servers before HBase 2.6 do not tell", "flush 't'", "major_compact 't'");
    }
    assertThat(collected("3.0.0-beta-1", List.of(FIRST), metrics(FIRST, 1, 0, LATER)).gone())
        .isTrue();
  }

  @Test
  void regionsCountByNameAndWithoutReplicas() {
    RegionMetrics first = metrics(FIRST, 1, 0, LATER);
    RegionInfo replica = region("", "m", 1);
    RegionMetrics copy = metrics(replica, 1, 0, LATER);
    List<RegionInfo> both = List.of(FIRST, replica, SECOND);
    assertThat(collected("2.6.4", both, first, copy).text()).contains("1 of 2 regions");
    assertThat(collected("2.6.4", both, first, first).gone()).isFalse();
    assertThat(collected("2.6.4", both, first, metrics(SECOND, 0, 0, LATER)).gone()).isTrue();
    // A region that moves may be reported twice.
    assertThat(collected("2.6.4", List.of(FIRST), first, metrics(FIRST, 3, 0, LATER)).gone())
        .isFalse();
  }
}
