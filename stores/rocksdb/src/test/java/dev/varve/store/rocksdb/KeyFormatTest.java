package dev.varve.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.Bytes;
import dev.varve.store.StoreException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeyFormatTest {
  private record Place(Bytes row, int family, Bytes qualifier, long time) {
    Bytes key() {
      GrowingBytes key = new GrowingBytes(8);
      KeyFormat.addRow(key, 7, row.toArray(), 0, row.length());
      KeyFormat.addColumn(key, family, qualifier.toArray(), 0, qualifier.length());
      KeyFormat.addTime(key, time);
      return Bytes.of(key.toArray());
    }
  }

  private static final Comparator<Place> ORDER =
      Comparator.comparing(Place::row)
          .thenComparingInt(Place::family)
          .thenComparing(Place::qualifier)
          .thenComparing(Comparator.comparingLong(Place::time).reversed());

  @Test
  void keysSortAsTheirPartsDo() {
    Random random = new Random(11);
    List<Place> places = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      places.add(new Place(bytes(random), random.nextInt(3), bytes(random), times(random)));
    }
    List<Place> byKey = new ArrayList<>(places);
    byKey.sort(Comparator.comparing(Place::key));
    places.sort(ORDER);
    assertThat(byKey).isEqualTo(places);
  }

  /** Uses few different bytes, so that many keys share prefixes. */
  private static Bytes bytes(Random random) {
    byte[] choices = {0, 1, 2, 'a', (byte) 0xfe, (byte) 0xff};
    byte[] bytes = new byte[random.nextInt(5)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = choices[random.nextInt(choices.length)];
    }
    return Bytes.of(bytes);
  }

  private static long times(Random random) {
    long[] choices = {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE - 1, random.nextLong() >> 1};
    return choices[random.nextInt(choices.length)];
  }

  @Test
  void partsComeBackFromAKey() {
    Random random = new Random(12);
    for (int i = 0; i < 3000; i++) {
      Place place = new Place(bytes(random), random.nextInt(3), bytes(random), times(random));
      assertThat(decode(place.key().toArray())).isEqualTo(place);
    }
  }

  private static Place decode(byte[] key) {
    int rowEnd = KeyFormat.escapedEnd(key, KeyFormat.TABLE_LENGTH, key.length);
    int qualifierEnd = KeyFormat.escapedEnd(key, rowEnd + 1, key.length);
    assertThat(key.length).isEqualTo(qualifierEnd + KeyFormat.TIME_LENGTH);
    return new Place(
        unescaped(key, KeyFormat.TABLE_LENGTH, rowEnd),
        key[rowEnd],
        unescaped(key, rowEnd + 1, qualifierEnd),
        KeyFormat.time(key, key.length));
  }

  private static Bytes unescaped(byte[] key, int from, int end) {
    GrowingBytes part = new GrowingBytes(1);
    KeyFormat.addUnescaped(part, key, from, end);
    return Bytes.of(part.toArray());
  }

  @Test
  void damagedKeyIsRefused() {
    byte[] key = Bytes.fromHex("0000000761620061").toArray();
    assertThatThrownBy(() -> KeyFormat.escapedEnd(key, KeyFormat.TABLE_LENGTH, key.length))
        .isInstanceOf(StoreException.class)
        .hasMessage("damaged key 0000000761620061: a part of it is not terminated");
  }
}
