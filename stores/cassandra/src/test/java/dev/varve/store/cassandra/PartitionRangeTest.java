package dev.varve.store.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.Bytes;
import dev.varve.store.Partitioning;
import dev.varve.store.Slice;
import dev.varve.store.StoreException;
import org.junit.jupiter.api.Test;

class PartitionRangeTest {
  private static final Partitioning TWO_BYTES = (bytes, offset, length) -> Math.min(2, length);

  private static Bytes hex(String hex) {
    return Bytes.fromHex(hex);
  }

  private static Position at(String key, String qualifier) {
    return new Position(hex(key), hex(qualifier));
  }

  @Test
  void cutsThePartitionOffTheRowKeys() {
    Slice slice = new Slice(hex("0102"), hex("010203"), hex("aa"), hex("010205"), hex("bb"));
    assertThat(PartitionRange.of(slice, TWO_BYTES, "t"))
        .isEqualTo(new PartitionRange(hex("0102"), at("03", "aa"), at("05", "bb")));
  }

  @Test
  void endsWithThePartition() {
    assertThat(PartitionRange.of(Slice.partition(hex("0102")), TWO_BYTES, "t"))
        .isEqualTo(new PartitionRange(hex("0102"), at("", ""), null));
    assertThat(
            PartitionRange.of(Slice.rows(hex("0102"), hex("010203"), hex("02")), TWO_BYTES, "t")
                .to())
        .isNull();
    assertThat(
            PartitionRange.of(Slice.rows(hex("0102"), hex("0102"), hex("01")), TWO_BYTES, "t")
                .isEmpty())
        .isTrue();
  }

  @Test
  void staysWithinAPrefixThatIsLongerThanThePartition() {
    assertThat(PartitionRange.of(Slice.partition(hex("010203")), TWO_BYTES, "t"))
        .isEqualTo(new PartitionRange(hex("0102"), at("03", ""), at("04", "")));
    assertThat(PartitionRange.of(Slice.partition(hex("0102ff")), TWO_BYTES, "t").to()).isNull();
  }

  @Test
  void refusesWhatSpansPartitions() {
    for (Slice slice : new Slice[] {Slice.partition(Bytes.EMPTY), Slice.partition(hex("01"))}) {
      assertThatThrownBy(() -> PartitionRange.of(slice, TWO_BYTES, "t"))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("within one partition");
    }
    assertThatThrownBy(() -> PartitionRange.of(Slice.partition(hex("01")), Partitioning.ROW, "t"))
        .isInstanceOf(StoreException.class);
  }
}
