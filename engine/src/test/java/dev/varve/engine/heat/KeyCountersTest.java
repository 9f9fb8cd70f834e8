package dev.varve.engine.heat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.heat.KeyCounters.Way;
import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.Partitioning;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Counters of one table, without a store. */
class KeyCountersTest {
  private static final int ROWS = 5_000;

  private static Bytes row(int number) {
    return Bytes.utf8("row-%05d".formatted(number));
  }

  private static CellBatch cells(int first, int count, int step) {
    CellBatch cells = new CellBatch();
    for (int i = 0; i < count; i++) {
      cells.add(
          new Cell(row((first + i * step) % ROWS), 0, Bytes.EMPTY, 1, Bytes.utf8("12345678")));
    }
    return cells;
  }

  @Test
  void noCellIsLostOrCountedTwiceAmongThreadsAndSlices() throws Exception {
    KeyCounters counters = new KeyCounters("t", Partitioning.ROW, 0);
    int threads = 8;
    int pages = 3_000;
    List<HeatSlice> slices = new ArrayList<>();
    try (ExecutorService workers = Executors.newFixedThreadPool(threads)) {
      List<Future<?>> done = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        Random random = new Random(thread);
        done.add(
            workers.submit(() -> {
              for (int page = 0; page < pages; page++) {
                counters.count(cells(random.nextInt(4_000), 50, 1), 1, Way.READ_IN_ORDER);
              }
            }));
      }
      for (int slice = 1; !done.stream().allMatch(Future::isDone); slice++) {
        add(slices, counters.end(slice));
        HeatSlice now = counters.peek(slice);
        assertThat(now == null || !now.ranges().isEmpty()).isTrue();
      }
      for (Future<?> one : done) {
        one.get();
      }
    }
    add(slices, counters.end(Long.MAX_VALUE));
    long counted = slices.stream().mapToLong(slice -> slice.total().reads()).sum();
    assertThat(counted + counters.missed()).isEqualTo(50L * threads * pages);
    assertThat(slices.getLast().ranges().size()).isBetween(100, KeyRanges.MAX);
  }

  private static void add(List<HeatSlice> slices, @Nullable HeatSlice slice) {
    if (slice != null) {
      slices.add(slice);
    }
  }

  @Test
  void rangesFollowTheLoad() {
    KeyCounters counters = new KeyCounters("t", Partitioning.ROW, 0);
    for (int minute = 1; minute <= 5; minute++) {
      // All load moves into rows that were one range before.
      for (int i = 0; i < 100; i++) {
        CellBatch batch = minute == 1 ? cells(0, 500, 7) : cells(4_990, 10, 1);
        counters.count(batch, 1, Way.WRITTEN);
      }
      HeatSlice slice = Objects.requireNonNull(counters.end(minute * 60_000L));
      assertThat(slice.ranges().size()).isLessThanOrEqualTo(KeyRanges.MAX);
      if (minute == 5) {
        long hot =
            slice.ranges().stream().mapToLong(range -> range.load().writes()).max().orElse(0);
        assertThat(hot).isLessThan(slice.total().writes() / 5);
      }
    }
  }

  @Test
  void aBatchOfAnySizeStartsTheRangesWithBoundedMemory() {
    KeyCounters counters = new KeyCounters("t", Partitioning.ROW, 0);
    counters.count(cells(0, 900, 3), 1, Way.WRITTEN);
    counters.count(cells(1, 5_000, 11), 1, Way.WRITTEN);
    HeatSlice slice = Objects.requireNonNull(counters.end(60_000));
    assertThat(slice.total().writes()).isBetween(5_800L, 6_000L);
    assertThat(slice.ranges().size()).isBetween(100, KeyRanges.MAX);
  }
}
