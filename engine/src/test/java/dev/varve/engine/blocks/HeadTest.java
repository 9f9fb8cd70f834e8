package dev.varve.engine.blocks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.block.SampleColumn;
import dev.varve.model.Kind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class HeadTest {
  /** Numbers of series on three pages of entries. */
  private static final int[] SERIES = {0, 1, 7, 4095, 4096, 9000};

  private static final List<Kind> KINDS = List.of(Kind.INT64, Kind.DOUBLE, Kind.STRING);
  private static final int SAMPLES_MAX = 600;

  /**
   * A sample as a reader sees it.
   *
   * @param value a number, or the text of a string
   */
  private record Seen(long time, Kind kind, Object value) {}

  private record Added(int series, int batch, Seen sample) {}

  @Property(tries = 300)
  void returnsTheSamplesOfTheVisibleBatchesInTheOrderOfAcceptance(@ForAll Random random) {
    // Pages that other heads have used have any content.
    HeadPages pages = new HeadPages(Long.MAX_VALUE);
    for (int use = 0; use < 2; use++) {
      Head head = new Head(pages);
      List<Added> added = new ArrayList<>();
      int batches = 1 + random.nextInt(20);
      for (int batch = 1; batch <= batches; batch++) {
        head.add(batch(random, batch, added));
      }
      assertThat(head.batches()).isEqualTo(batches);
      assertThat(head.samples()).isEqualTo(added.size());
      assertSeries(head, added);
      long from = time(random);
      long to = time(random);
      int visible = random.nextInt(batches + 1);
      for (int series : SERIES) {
        List<Seen> expected =
            added.stream()
                .filter(one -> one.series() == series && one.batch() <= visible)
                .map(Added::sample)
                .filter(one -> one.time() >= from && one.time() < to)
                .toList();
        assertThat(read(head, series, visible, from, to)).isEqualTo(expected);
      }
      head.drop();
    }
  }

  private static void assertSeries(Head head, List<Added> added) {
    TreeSet<Integer> numbers = new TreeSet<>();
    added.forEach(one -> numbers.add(one.series()));
    List<Integer> passed = new ArrayList<>();
    head.forEach(passed::add);
    assertThat(passed).isEqualTo(List.copyOf(numbers));
    assertThat(head.series()).isEqualTo(numbers.size());
  }

  private static ColumnBatch batch(Random random, int number, List<Added> added) {
    ColumnBatch batch = new ColumnBatch();
    int columns = 1 + random.nextInt(4);
    for (int column = 0; column < columns; column++) {
      int series = SERIES[random.nextInt(SERIES.length)];
      Kind kind = KINDS.get(random.nextInt(KINDS.size()));
      batch.begin(series, kind);
      int samples = 1 + random.nextInt(random.nextInt(10) == 0 ? SAMPLES_MAX : 10);
      for (int i = 0; i < samples; i++) {
        added.add(new Added(series, number, sample(random, kind, batch)));
      }
    }
    return batch;
  }

  private static Seen sample(Random random, Kind kind, ColumnBatch batch) {
    long time = time(random);
    if (kind == Kind.STRING) {
      String text = "text " + random.nextInt();
      batch.add(time, text.getBytes(StandardCharsets.UTF_8));
      return new Seen(time, kind, text);
    }
    long value = random.nextLong();
    batch.add(time, value);
    return new Seen(time, kind, value);
  }

  /** Returns a time that is near most others, or far from any. */
  private static long time(Random random) {
    return switch (random.nextInt(20)) {
      case 0 -> Long.MIN_VALUE + random.nextInt(3);
      case 1 -> Long.MAX_VALUE - random.nextInt(3);
      case 2 -> random.nextLong();
      default -> 1_700_000_000_000L + random.nextInt(1_000_000);
    };
  }

  private static List<Seen> read(Head head, int series, int visible, long from, long to) {
    SampleColumn column = new SampleColumn();
    head.read(series, visible, from, to, column);
    List<Seen> seen = new ArrayList<>();
    for (int i = 0; i < column.size(); i++) {
      Kind kind = column.kind(i);
      Object value =
          kind == Kind.STRING
              ? new String(column.textAt(i), StandardCharsets.UTF_8)
              : column.value(i);
      seen.add(new Seen(column.time(i), kind, value));
    }
    return seen;
  }

  @Test
  void aDroppedHeadKeepsItsPagesUntilTheLastViewEnds() {
    HeadPages pages = new HeadPages(Long.MAX_VALUE);
    Head head = new Head(pages);
    ColumnBatch batch = new ColumnBatch();
    batch.begin(3, Kind.INT64);
    batch.add(5, 42L);
    head.add(batch);
    head.view();
    head.view();
    head.drop();
    head.leave();
    Head next = new Head(pages);
    ColumnBatch other = new ColumnBatch();
    other.begin(3, Kind.INT64);
    other.add(6, 43L);
    next.add(other);
    assertThat(read(head, 3, 1, Long.MIN_VALUE, Long.MAX_VALUE))
        .containsExactly(new Seen(5, Kind.INT64, 42L));
    head.leave();
    assertThat(read(head, 3, 1, Long.MIN_VALUE, Long.MAX_VALUE)).isEmpty();
  }
}
