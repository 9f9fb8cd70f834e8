package dev.varve.engine.blocks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.layout.block.BlockHead;
import dev.varve.layout.block.BlockKey;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.block.BlockReader;
import dev.varve.layout.block.SampleColumn;
import dev.varve.model.Bytes;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.Table;
import dev.varve.store.memory.MemoryStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * A seal that fails once its blocks are written is retried later, and the sealer merges blocks in
 * between.
 */
class RetriedSealTest {
  private static final long DAY = 86_400_000L;
  private static final long NOON = 19_000 * DAY + DAY / 2;

  @Test
  void keepsWhatWasMergedWithBlocksOfAFailedSeal() throws Exception {
    MemoryStore store = new MemoryStore();
    BlockLayout layout = new BlockLayout(Resolution.MILLISECONDS);
    Table table = store.open(layout.tables().get(BlockLayout.BLOCKS), OpenMode.CREATE_IF_ABSENT);
    SeriesNumbers numbers = new SeriesNumbers();
    SeriesIdentity identity = new SeriesIdentity(1, 2);
    int series = numbers.assign(-1, identity, "m", "value");
    numbers.settle(0, identity, "value", series);
    BlockTable blocks =
        new BlockTable(
            table,
            store.capabilities(table.spec()).limits(),
            Resolution.MILLISECONDS,
            numbers,
            new AtomicLong(1_000)::incrementAndGet,
            () -> TimeRange.ALL);

    // Sealed long ago, and acknowledged.
    blocks.write(head(series, NOON, NOON + 1, NOON + 2), 5);
    // A head with late samples of the same day: blocks are written, then Journal.cut fails.
    Head late = head(series, NOON - 10, NOON - 9);
    blocks.write(late, 9);
    merge(blocks, 5);
    assertThat(times(table, numbers, series)).as("after the merge").hasSize(5);
    blocks.write(late, 9);
    assertThat(times(table, numbers, series))
        .as("after the seal was retried, with the same generation")
        .containsExactly(NOON - 10, NOON - 9, NOON, NOON + 1, NOON + 2);
    merge(blocks, 9);
    assertThat(times(table, numbers, series)).as("after a merge of all").hasSize(5);
  }

  private static void merge(BlockTable blocks, long through) {
    boolean more = true;
    while (more) {
      more = blocks.mergeSome(true, through);
    }
  }

  private static Head head(int series, long... times) {
    Head head = new Head(new HeadPages(1 << 20));
    ColumnBatch batch = new ColumnBatch();
    batch.begin(series, Kind.INT64);
    for (long time : times) {
      batch.add(time, time);
    }
    head.add(batch);
    return head;
  }

  /** Returns the times of all samples in blocks. */
  private static Set<Long> times(Table table, SeriesNumbers numbers, int series) throws Exception {
    Bytes row =
        BlockKey.row(
            BlockKey.bucket(NOON, Resolution.MILLISECONDS), numbers.metric(series), series);
    ReadPlan plan =
        ReadPlan.of(
            List.of(Slice.row(Bytes.EMPTY, row)),
            List.of(
                FamilySelect.latest(BlockLayout.HEADS), FamilySelect.latest(BlockLayout.BODIES)));
    Map<Bytes, BlockHead> heads = new HashMap<>();
    SampleColumn column = new SampleColumn();
    TimeColumns shared = new TimeColumns(table, Resolution.MILLISECONDS);
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          Bytes qualifier = page.qualifier(cell);
          if (page.family(cell) == BlockLayout.HEADS) {
            heads.put(
                qualifier,
                BlockHead.read(page.bytes(), page.valueOffset(cell), page.valueLength(cell)));
          } else {
            byte[] body = page.value(cell).toArray();
            BlockHead head = Objects.requireNonNull(heads.get(qualifier));
            new BlockReader()
                .decode(head, shared.of(head), body, 0, body.length, TimeRange.ALL, column);
          }
        }
      }
    }
    Set<Long> times = new TreeSet<>();
    for (int i = 0; i < column.size(); i++) {
      times.add(column.time(i));
    }
    return times;
  }
}
