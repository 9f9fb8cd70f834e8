package dev.varve.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Keys are found by exactly the bytes under which they were remembered. */
class KnownKeysTest {
  private static final Object DATASET = new Object();
  private static final GroupKey KEY = GroupKey.of("up", Tags.EMPTY);

  @Property(tries = 300)
  void findsTheSameBytesWhereverTheyAre(
      @ForAll @Size(max = 70) byte[] labels, @ForAll @Size(max = 9) byte[] before) {
    KnownKeys keys = new KnownKeys(1 << 20);
    byte[] message = Arrays.copyOf(before, before.length + labels.length + 3);
    System.arraycopy(labels, 0, message, before.length, labels.length);
    int end = before.length + labels.length;
    assertThat(keys.find(DATASET, message, before.length, end)).isNull();
    keys.remember(DATASET, labels, 0, labels.length, KEY);
    assertThat(keys.find(DATASET, message, before.length, end)).isNotNull();
    assertThat(keys.find(new Object(), message, before.length, end)).isNull();
    assertThat(keys.find(DATASET, message, before.length, end + 1)).isNull();
  }

  @Property(tries = 300)
  void doesNotFindOtherBytes(@ForAll @Size(min = 1, max = 70) byte[] labels, @ForAll int place) {
    KnownKeys keys = new KnownKeys(1 << 20);
    keys.remember(DATASET, labels, 0, labels.length, KEY);
    byte[] other = labels.clone();
    other[Math.floorMod(place, other.length)]++;
    assertThat(keys.find(DATASET, other, 0, other.length)).isNull();
    Arrays.fill(labels, (byte) 0);
    assertThat(keys.find(DATASET, other, 0, other.length))
        .as("remembered bytes are copied")
        .isNull();
  }

  @Property(tries = 20)
  void remembersRecentSeriesInBoundedMemory(@ForAll @IntRange(min = 1, max = 64) int kilobytes) {
    KnownKeys keys = new KnownKeys(kilobytes << 10);
    int count = 5_000;
    for (int i = 0; i < count; i++) {
      byte[] labels = labels(i);
      keys.remember(DATASET, labels, 0, labels.length, KEY);
      assertThat(keys.find(DATASET, labels, 0, labels.length)).isNotNull();
    }
    int known = 0;
    for (int i = 0; i < count; i++) {
      byte[] labels = labels(i);
      known += keys.find(DATASET, labels, 0, labels.length) == null ? 0 : 1;
    }
    assertThat(known).isLessThanOrEqualTo(kilobytes * 1024 / 300 + 2);
  }

  @Test
  void noSeriesHoldsThoseThatFollowedItLongAgo() {
    int kilobytes = 64;
    KnownKeys keys = new KnownKeys(kilobytes << 10);
    byte[] first = labels(-1);
    KnownKeys.Known before = keys.remember(DATASET, first, 0, first.length, KEY);
    List<WeakReference<KnownKeys.Known>> all = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      assertThat(keys.find(DATASET, first, 0, first.length)).isNotNull();
      byte[] labels = labels(i);
      KnownKeys.Known known = keys.remember(DATASET, labels, 0, labels.length, KEY);
      assertThat(keys.find(before, DATASET, labels, 0, labels.length)).isSameAs(known);
      assertThat(keys.follower(before, DATASET, labels, 0, labels.length)).isSameAs(known);
      before = known;
      all.add(new WeakReference<>(known));
    }
    before = null;
    System.gc();
    assertThat(all.stream().filter(one -> one.get() != null).count())
        .isLessThanOrEqualTo(kilobytes * 1024 / 300 + 2);
  }

  private static byte[] labels(int number) {
    return ByteBuffer.allocate(20).putInt(12, number).array();
  }
}
