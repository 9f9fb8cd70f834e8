package dev.varve.layout.opentsdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;
import dev.varve.layout.RowShape;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowKeysTest {
  private static final GroupKey ANY = GroupKey.of("m", Tags.of("k", "v"));

  /**
   * {@code Arrays.hashCode} of metric and pairs is 691019968, 691019969, -1796493826 (byte ff is
   * -1) and -1372129367.
   */
  @ParameterizedTest
  @CsvSource({
    "000001, 000001000001, 20, 8",
    "000001, 000001000002, 20, 9",
    "ff0001, 000001ff0001, 20, 6",
    "070001, 0000000000000002, 20, 7",
    "ff0001, 000001ff0001, 2147483647, 1796493826",
    "000001, 000001000001, 1, 0",
  })
  void saltsASeries(String metric, String pairs, int buckets, int bucket) {
    assertThat(
            keys(Map.of("saltWidth", "4", "saltBuckets", "" + buckets))
                .bucket(Bytes.fromHex(metric), Bytes.fromHex(pairs)))
        .isEqualTo(bucket);
  }

  @Test
  void repeatsASaltOnMoreThanFourBytesAsTheOriginalDoes() {
    RowKeys keys = keys(Map.of("saltWidth", "6"));
    KeyBytes out = new KeyBytes();
    ((KeyPart.Salt) keys.shape().parts().getFirst()).encodeBucket(0x13, out);

    assertThat(out.toBytes().hex()).isEqualTo("001300000013");
  }

  @Test
  void writesEveryPartOnItsOwnWidth() {
    Map<String, String> widths =
        Map.of("metricWidth", "1", "tagkWidth", "2", "tagvWidth", "8", "saltWidth", "2");
    RowKeys keys = keys(widths);
    Bytes metric = Bytes.fromHex("07");
    Bytes pairs = Bytes.fromHex("0001" + "0000000000000002");
    UidBinding binding = new UidBinding(ANY, metric, pairs, keys.bucket(metric, pairs));
    Bytes row = encoded(keys.shape(), binding, 1_357_001_999_999L);

    assertThat(row.hex()).isEqualTo("0007" + "07" + "50e22700" + "0001" + "0000000000000002");
    byte[] bytes = row.toArray();
    assertThat(keys.base(bytes, 0, bytes.length)).isEqualTo(1_356_998_400_000L);
    byte[] direct = keys.row(binding, 0);
    keys.setBase(direct, 1_356_998_400_000L);
    assertThat(direct).isEqualTo(bytes);
    assertThat(keys.shape().signature(binding).hex()).isEqualTo("07" + "0001" + "0000000000000002");
  }

  @Test
  void keepsTheSaltAndTheMetricOfARowInItsPartition() {
    byte[] row = Bytes.fromHex("0800000150e22700000001000001").toArray();
    assertThat(keys(Map.of("saltWidth", "1")).shape().partitioning().prefixLength(row, 0, 14))
        .isEqualTo(4);
  }

  @Test
  void hasNoHourAfterTheLastThatTheOriginalTakes() {
    KeyPart.Time base = base(keys(Map.of()).shape());
    long last = base.floor(RowKeys.LAST_TIME);

    assertThat(last).isEqualTo(9_999_997_200_000L);
    assertThat(base.next(last - 3_600_000)).isEqualTo(last);
    assertThat(base.next(last)).isEqualTo(Long.MAX_VALUE);
    assertThat(base.floor(-1)).isEqualTo(-3_600_000);
    assertThat(baseBytes(base, Long.MIN_VALUE + 3_600_000)).isEqualTo("00000000");
    assertThat(baseBytes(base, Long.MAX_VALUE)).isEqualTo("540bd910");
  }

  /** An era ends with the last hour that starts in it. */
  @ParameterizedTest
  @CsvSource({
    "0, 1, 00000000, fffff960",
    "1, 4294969200000, 00000770, fffff2c0",
    "2, 8589934800000, 000000d0, 540bd910"
  })
  void ordersBaseTimesWithinAnEra(int era, long first, String firstBytes, String lastBytes) {
    KeyPart.Time base = base(keys(Map.of()).shape());
    TimeRange times = base.eras().get(era).intersect(TimeRange.closed(1, RowKeys.LAST_TIME));

    assertThat(times.from()).isEqualTo(first);
    assertThat(baseBytes(base, times.from())).isEqualTo(firstBytes);
    assertThat(baseBytes(base, times.to() - 1)).isEqualTo(lastBytes);
    assertThat(base.eras()).hasSize(3);
  }

  /** 2^32 s exceeds a whole number of hours by 1696 s, so the remaining bits identify the hour. */
  @ParameterizedTest
  @CsvSource({
    "50e22700, 1356998400",
    "00000000, 0",
    "fffff960, 4294965600",
    "00000770, 4294969200",
    "540bd910, 9999997200"
  })
  void decodesTheHourOfATruncatedBaseTime(String base, long seconds) {
    byte[] row = Bytes.fromHex("000001" + base + "000001000001").toArray();
    assertThat(keys(Map.of()).base(row, 0, row.length)).isEqualTo(1000 * seconds);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0|''|metric UID takes 3 bytes, 0 are left",
        "0|0000|metric UID takes 3 bytes, 2 are left",
        "0|00000150e227|base time takes 4 bytes, 3 are left",
        "0|00000150e22700|a metric without tags",
        "0|00000150e2270000000100|4 bytes of tag UIDs are not 1 to 8 pairs of 6 bytes",
        "0|00000150e22701000001000001|base time 50E22701 (1356998401 s) is not a whole hour",
        "0|000001540be720000001000001|base time 540BE720 (1410066208 s) is not a whole hour",
        "0|00000050e22700000001000001|tags after metric UID 0",
        "0|00000150e22700000002000001000001000001|tagk UID 000001 comes after 000002",
        "0|00000150e22700000001000001000001000002|tagk UID 000001 comes after 000001",
        "1|0c00000150e22700000001000001|salt is 0C, but 8 of 20 buckets is the series' own",
        "1|14|salt, metric and base time takes 8 bytes, 1 are left",
        "1|0100000050e22700|salt is 01, but 0 of 20 buckets",
      })
  void refusesADamagedRowKey(String saltWidth, String row, String reason) {
    RowKeys keys = keys(Map.of("saltWidth", saltWidth));
    byte[] bytes = Bytes.fromHex(row).toArray();

    assertThatThrownBy(() -> keys.shape().decode(bytes, 0, bytes.length, new KeyOutput()))
        .isInstanceOf(DamagedCellException.class)
        .hasMessageStartingWith("row key: ")
        .hasMessageContaining(reason);
    assertThatThrownBy(() -> keys.base(bytes, 0, bytes.length))
        .isInstanceOf(DamagedCellException.class);
  }

  @Test
  void refusesMoreTagsThanTheOriginalWrites() {
    StringBuilder row = new StringBuilder("00000150e22700");
    for (int tag = 1; tag <= 9; tag++) {
      row.append("00000").append(tag).append("000001");
    }
    byte[] bytes = Bytes.fromHex(row.toString()).toArray();
    RowKeys keys = keys(Map.of());

    assertThat(keys.base(bytes, 0, bytes.length - 6)).isEqualTo(HandMadeRow.BASE);
    assertThatThrownBy(() -> keys.base(bytes, 0, bytes.length))
        .hasMessage(
            "row key: 54 bytes of tag UIDs are not 1 to 8 pairs of 6 bytes; is maxTags right?");
  }

  private static RowKeys keys(Map<String, String> parameters) {
    return new RowKeys(OpenTsdbParameters.of(parameters));
  }

  private static KeyPart.Time base(RowShape shape) {
    return (KeyPart.Time) shape.parts().get(shape.timePart());
  }

  private static String baseBytes(KeyPart.Time base, long time) {
    KeyBytes out = new KeyBytes();
    base.encode(new KeyInput(new UidBinding(ANY, Bytes.EMPTY, Bytes.EMPTY, 0)).time(time), out);
    return out.toBytes().hex();
  }

  private static Bytes encoded(RowShape shape, UidBinding binding, long time) {
    KeyBytes out = new KeyBytes();
    shape.encode(new KeyInput(binding).time(time), out);
    return out.toBytes();
  }
}
