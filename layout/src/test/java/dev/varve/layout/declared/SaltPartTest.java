package dev.varve.layout.declared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.Binding;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyPart;
import dev.varve.layout.Layout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class SaltPartTest {
  @Property
  void everyHashFallsIntoABucketThatIsRead(
      @ForAll long hash, @ForAll @IntRange(min = 2, max = 65_536) int buckets) {
    assertThat(KeyHash.bucket(hash, buckets)).isBetween(0, buckets - 1);
  }

  @Test
  void theExtremesFallIntoBucketsToo() {
    for (long hash : new long[] {Long.MIN_VALUE, Long.MAX_VALUE, -1, 0, 1, Integer.MIN_VALUE}) {
      for (int buckets : new int[] {2, 3, 7, 16, 256, 257, 65_536}) {
        assertThat(KeyHash.bucket(hash, buckets)).isBetween(0, buckets - 1);
      }
    }
  }

  @Property
  void doublingAPowerOfTwoSplitsEveryBucketIntoNeighbours(
      @ForAll long hash, @ForAll @IntRange(min = 1, max = 15) int bits) {
    assertThat(KeyHash.bucket(hash, 2 << bits) / 2).isEqualTo(KeyHash.bucket(hash, 1 << bits));
  }

  @Test
  void everyRowThatIsWrittenIsReachedByTheFanOut() {
    Layout layout = Layouts.of("salted", Map.of("buckets", "3"));
    KeyPart.Salt salt = (KeyPart.Salt) layout.rows().parts().getFirst();
    Set<Bytes> fan = new TreeSet<>();
    for (int bucket = 0; bucket < salt.buckets(); bucket++) {
      KeyBytes out = new KeyBytes();
      salt.encodeBucket(bucket, out);
      fan.add(out.toBytes());
    }
    Set<Bytes> written = new TreeSet<>();
    for (int i = 0; i < 10_000; i++) {
      written.add(row(layout, key(i)).slice(0, 1));
    }
    assertThat(written).isEqualTo(fan);
  }

  @Test
  void seriesSpreadEvenly() {
    Layout layout = Layouts.of("salted", Map.of());
    int[] counts = new int[16];
    for (int i = 0; i < 16_000; i++) {
      counts[row(layout, key(i)).at(0)]++;
    }
    for (int count : counts) {
      assertThat(count).isBetween(850, 1150);
    }
  }

  @Test
  void aSaltOfTheSeriesLeavesItInOnePlaceAndOneOfTheBucketDoesNot() {
    Layout bySeries = Layouts.of("salted", Map.of("buckets", "256"));
    String yaml =
        """
        layout: x
        key:
          - salt: {buckets: 256, of: [metric, tags, bucket]}
          - metric
          - tags
          - bucket: 1d
        families: {d: {qualifier: [offset, field]}}
        """;
    Layout byBucket = Layouts.of(yaml, Map.of());
    assertThat(((KeyPart.Salt) bySeries.rows().parts().getFirst()).of())
        .isEqualTo(KeyPart.Salt.Of.KEY);
    assertThat(((KeyPart.Salt) byBucket.rows().parts().getFirst()).of())
        .isEqualTo(KeyPart.Salt.Of.KEY_AND_BUCKET);
    Set<Byte> ofSeries = new TreeSet<>();
    Set<Byte> ofBuckets = new TreeSet<>();
    for (int day = 0; day < 100; day++) {
      ofSeries.add(row(bySeries, key(1), day * 86_400_000L).at(0));
      ofBuckets.add(row(byBucket, key(1), day * 86_400_000L).at(0));
    }
    assertThat(ofSeries).hasSize(1);
    assertThat(ofBuckets).hasSizeGreaterThan(50);
  }

  @Test
  void aSaltThatIsNotThatOfItsRowIsRefused() {
    Layout layout = Layouts.of("salted", Map.of());
    Bytes row = row(layout, key(1));
    Bytes other = Bytes.of((byte) (row.at(0) ^ 1)).concat(row.slice(1, row.length()));
    assertThatThrownBy(() -> layout.identify(other))
        .isInstanceOf(DamagedCellException.class)
        .hasMessageMatching("row key, byte 0: salt 16 is \\d+, but the parts after it yield \\d+");
  }

  @Test
  void theHashStaysAsItIs() {
    // FNV-1a of "a" is af63dc4c8601ec8c (Fowler, Noll, Vo: test vectors); the finaliser is fmix64.
    long fnv = KeyHash.add(KeyHash.START, new byte[] {'a'}, 0, 1);
    assertThat(fnv).isEqualTo(0xaf63dc4c8601ec8cL);
    assertThat(KeyHash.finish(0)).isZero();
    assertThat(KeyHash.finish(fnv)).isEqualTo(0x82a2a958a9bece5bL);
  }

  private static GroupKey key(int number) {
    return GroupKey.of("cpu", Tags.of("host", "web-" + number));
  }

  private static Bytes row(Layout layout, GroupKey key) {
    return row(layout, key, 0);
  }

  private static Bytes row(Layout layout, GroupKey key, long time) {
    KeyBytes out = new KeyBytes();
    layout.rows().encode(new KeyInput(new Binding.Plain(key)).time(time), out);
    return out.toBytes();
  }
}
