package dev.varve.engine.heat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.heat.HeatSlice.Busiest;
import dev.varve.engine.heat.HeatSlice.LargeRow;
import dev.varve.engine.heat.HeatSlice.Range;
import dev.varve.engine.heat.HeatSlice.Stretch;
import dev.varve.engine.home.Home;
import dev.varve.engine.home.ServerId;
import dev.varve.engine.request.ReadGuard;
import dev.varve.model.Bytes;
import dev.varve.store.StoreException;
import dev.varve.store.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Slices are kept as they were, add up over servers and time, and end. */
class HeatHistoryTest {
  private static final long MINUTE = 60_000;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;
  private static final long START = 1_699_920_000_000L;
  private static final String TABLE = "main.buckets";

  private final MemoryStore store = new MemoryStore();
  private final AtomicLong stamps = new AtomicLong(1);

  private HeatHistory history(long server) {
    return new HeatHistory(
        Home.open(store, "main", new ServerId(server)).heat(), stamps::incrementAndGet);
  }

  private static Bytes key(Random random) {
    byte[] bytes = new byte[1 + random.nextInt(12)];
    random.nextBytes(bytes);
    return Bytes.of(bytes);
  }

  private static HeatSlice slice(Random random, long from, long to) {
    List<Range> ranges = new ArrayList<>();
    @Nullable Bytes before = null;
    for (Bytes key : sorted(random)) {
      if (!key.equals(before)) {
        Stretch sampled = random.nextBoolean() ? null : new Stretch(key, key.successor());
        ranges.add(
            new Range(
                key,
                new Load(
                    random.nextInt(1000),
                    random.nextInt(1 << 20),
                    random.nextLong(1L << 40),
                    5,
                    6,
                    7),
                sampled));
      }
      before = key;
    }
    return new HeatSlice(
        from,
        to,
        ranges,
        new Stretch(key(random), key(random)),
        random.nextBoolean() ? null : new Busiest(Bytes.utf8("row"), 2, 30, 100, 12),
        new Busiest(key(random), 1, 1, 64, 2),
        random.nextBoolean() ? null : new LargeRow(key(random), 1L << 33, 5));
  }

  private static List<Bytes> sorted(Random random) {
    List<Bytes> keys = new ArrayList<>(List.of(Bytes.EMPTY));
    for (int i = random.nextInt(40); i > 0; i--) {
      keys.add(key(random));
    }
    return keys.stream().sorted().toList();
  }

  @Property(tries = 200)
  void aSliceComesBackAsItWas(@ForAll @IntRange(max = 1_000_000) int seed) {
    HeatSlice slice = slice(new Random(seed), START, START + MINUTE);
    assertThat(HeatSliceCode.decode(HeatSliceCode.encode(slice))).isEqualTo(slice);
  }

  @Property(tries = 200)
  void aDamagedSliceIsRefusedOrAnotherSlice(
      @ForAll @IntRange(max = 1_000_000) int seed, @ForAll @IntRange(max = 100_000) int place) {
    byte[] code = HeatSliceCode.encode(slice(new Random(seed), START, START + MINUTE)).toArray();
    code[place % code.length] ^= (byte) (1 + place % 255);
    try {
      HeatSliceCode.decode(Bytes.of(code));
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageMatching("(?s).+");
    }
  }

  @Property(tries = 200)
  void aSliceWithoutSomeKeysKeepsItsLoadAndTheOthers(@ForAll @IntRange(max = 1_000_000) int seed) {
    HeatSlice slice = slice(new Random(seed), START, START + MINUTE);
    Predicate<Bytes> gone = key -> key.length() % 2 == 1;
    HeatSlice kept = slice.without(gone);
    assertThat(kept.total()).isEqualTo(slice.total());
    assertThat(kept.ranges().stream().map(Range::from))
        .containsExactlyElementsOf(
            slice.ranges().stream().map(Range::from).filter(gone.negate()).toList());
    assertThat(keys(kept)).noneMatch(gone);
    assertThat(keys(slice).stream().filter(gone.negate())).containsAll(keys(kept));
    assertThat(slice.without(key -> false)).isEqualTo(slice);
  }

  private static List<Bytes> keys(HeatSlice slice) {
    List<Bytes> keys = new ArrayList<>();
    for (Range range : slice.ranges()) {
      keys.add(range.from());
      add(range.sampled(), keys);
    }
    add(slice.written(), keys);
    Stream.of(slice.busiestRead(), slice.busiestWritten())
        .forEach(one -> keys.addAll(one == null ? List.of() : List.of(one.row())));
    LargeRow largest = slice.largest();
    keys.addAll(largest == null ? List.of() : List.of(largest.row()));
    return keys;
  }

  private static void add(@Nullable Stretch stretch, List<Bytes> into) {
    if (stretch != null) {
      into.add(stretch.first());
      into.add(stretch.last());
    }
  }

  @Property(tries = 300)
  void aKeyIsInTheLastRangeThatStartsBeforeIt(@ForAll @IntRange(max = 1_000_000) int seed) {
    Random random = new Random(seed);
    Bytes common = random.nextBoolean() ? Bytes.EMPTY : key(random);
    List<Bytes> bounds =
        sorted(random).stream()
            .map(key -> key.isEmpty() ? key : common.concat(key))
            .distinct()
            .toList();
    KeyRanges ranges = new KeyRanges(bounds);
    for (int i = 0; i < 50; i++) {
      Bytes key = random.nextInt(5) == 0 ? key(random) : common.concat(key(random));
      Bytes row = random.nextInt(4) == 0 ? bounds.get(random.nextInt(bounds.size())) : key;
      int last = 0;
      while (last + 1 < bounds.size() && bounds.get(last + 1).compareTo(row) <= 0) {
        last++;
      }
      byte[] padded = Bytes.utf8("xx").concat(row).concat(Bytes.utf8("y")).toArray();
      assertThat(ranges.find(padded, 2, row.length())).isEqualTo(last);
    }
  }

  private static Load total(List<HeatSlice> slices) {
    return slices.stream().map(HeatSlice::total).reduce(Load.NONE, Load::plus);
  }

  @Test
  void oldSlicesBecomeCoarserAndEnd() {
    HeatHistory history = history(1);
    Random random = new Random(1);
    Load sum = Load.NONE;
    long now = START;
    for (int minute = 0; minute < 400; minute++) {
      HeatSlice slice = slice(random, now, now + MINUTE);
      history.put(TABLE, slice);
      sum = sum.plus(slice.total());
      now += MINUTE;
    }
    history.age(TABLE, now);
    List<HeatSlice> kept = history.read(TABLE, START, now, ReadGuard.NONE);
    assertThat(total(kept)).isEqualTo(sum);
    assertThat(kept.size()).isBetween(180, 215);
    kept.forEach(slice -> assertThat(slice.ranges().size()).isLessThanOrEqualTo(KeyRanges.MAX));

    history.age(TABLE, now + 4 * DAY);
    kept = history.read(TABLE, START, now, ReadGuard.NONE);
    assertThat(total(kept)).isEqualTo(sum);
    assertThat(kept.size()).isLessThan(4);
    history.age(TABLE, now + 31 * DAY);
    assertThat(history.read(TABLE, START, now, ReadGuard.NONE)).isEmpty();
  }

  @Test
  void slicesOfSeveralServersAddUp() {
    HeatHistory one = history(1);
    HeatHistory two = history(2);
    Random random = new Random(2);
    Load sum = Load.NONE;
    for (long time = START; time < START + 20 * MINUTE; time += MINUTE) {
      for (HeatHistory history : List.of(one, two)) {
        HeatSlice slice = slice(random, time, time + MINUTE);
        history.put(TABLE, slice);
        sum = sum.plus(slice.total());
      }
    }
    // One server makes its own slices coarser, and leaves those of the other alone.
    one.age(TABLE, START + 4 * HOUR);
    List<HeatSlice> all = two.read(TABLE, START, START + HOUR, ReadGuard.NONE);
    assertThat(all.size()).isEqualTo(20 + 2);
    assertThat(total(all)).isEqualTo(sum);
    HeatMap map =
        HeatMap.of(new HeatMap.Request(START, START + HOUR, Bytes.EMPTY, null, 64, 60), all);
    Load shown = Load.NONE;
    for (int row = 0; row < map.rows().size(); row++) {
      shown = shown.plus(map.total(row));
    }
    assertThat(shown).isEqualTo(sum);
    assertThat(map.step()).isEqualTo(15 * MINUTE);
  }

  @Test
  void aSliceWhosePartsOutlivedACrashCountsOnce() {
    HeatHistory history = history(1);
    HeatSlice minute = slice(new Random(3), START, START + MINUTE);
    history.put(TABLE, minute);
    history.age(TABLE, START + 4 * HOUR);
    history.put(TABLE, minute);
    assertThat(total(history.read(TABLE, START, START + HOUR, ReadGuard.NONE)))
        .isEqualTo(minute.total());
  }

  @Test
  void aDamagedSliceIsNamed() {
    Home home = Home.open(store, "main", new ServerId(1));
    home.heat().put(TABLE, 0, START, Bytes.utf8("no"), List.of(), 7);
    assertThatThrownBy(() -> history(1).read(TABLE, START, START + 1, ReadGuard.NONE))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("key counters of table 'main.buckets', from " + START);
  }
}
