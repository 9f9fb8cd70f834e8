package dev.varve.server.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

/** Keys are found by exactly the bytes under which they were remembered. */
class KnownKeysTest {
  private static final GroupKey KEY = GroupKey.of("up", Tags.EMPTY);

  @Property(tries = 300)
  void findsTheSameBytesWhereverTheyAre(
      @ForAll @Size(max = 70) byte[] labels, @ForAll @Size(max = 9) byte[] before) {
    KnownKeys keys = new KnownKeys(1 << 20);
    byte[] message = Arrays.copyOf(before, before.length + labels.length + 3);
    System.arraycopy(labels, 0, message, before.length, labels.length);
    int end = before.length + labels.length;
    assertThat(keys.find(message, before.length, end)).isNull();
    keys.remember(labels, 0, labels.length, KEY);
    assertThat(keys.find(message, before.length, end)).isSameAs(KEY);
    assertThat(keys.find(message, before.length, end + 1)).isNull();
  }

  @Property(tries = 300)
  void doesNotFindOtherBytes(@ForAll @Size(min = 1, max = 70) byte[] labels, @ForAll int place) {
    KnownKeys keys = new KnownKeys(1 << 20);
    keys.remember(labels, 0, labels.length, KEY);
    byte[] other = labels.clone();
    other[Math.floorMod(place, other.length)]++;
    assertThat(keys.find(other, 0, other.length)).isNull();
    Arrays.fill(labels, (byte) 0);
    assertThat(keys.find(other, 0, other.length)).as("remembered bytes are copied").isNull();
  }
}
