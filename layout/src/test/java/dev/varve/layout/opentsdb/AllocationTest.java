package dev.varve.layout.opentsdb;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.varve.layout.Binding;
import dev.varve.layout.CellSink;
import dev.varve.layout.Refusal;
import dev.varve.layout.RowSamples;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.model.Tags;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Encoding and decoding allocate nothing per sample besides their output. */
class AllocationTest {
  private static final int SAMPLES = 10_000;
  private static final int ROUNDS = 20;

  private final OpenTsdbLayout layout = OpenTsdbLayout.of(Map.of("saltWidth", "1", "float", "4"));
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  void encodesIntoWhatIsThere() {
    try (TsdbTables tables = new TsdbTables(layout)) {
      Binding binding = tables.bind(layout, GroupKey.of("m", Tags.of("k", "v")));
      SampleGroup group = group();
      MutationBatch out = new MutationBatch();
      CellSink sink = sink(out);
      assertThat(
              allocated(() -> {
                out.clear();
                layout.encode(binding, group, 0, sink);
              }))
          .isLessThan(SAMPLES);
    }
  }

  @Test
  void decodesIntoWhatIsThere() {
    try (TsdbTables tables = new TsdbTables(layout)) {
      MutationBatch out = new MutationBatch();
      layout.encode(
          tables.bind(layout, GroupKey.of("m", Tags.of("k", "v"))), group(), 0, sink(out));
      CellBatch cells = out.cells();
      RowSamples samples = new RowSamples();
      assertThat(
              allocated(() -> {
                samples.clear();
                int from = 0;
                for (int i = 1; i <= cells.size(); i++) {
                  if (i == cells.size() || !cells.sameRow(i, from)) {
                    layout.decode(cells, from, i, samples);
                    from = i;
                  }
                }
              }))
          .isLessThan(SAMPLES);
      assertThat(samples.vectors()).hasSize(2);
    }
  }

  /** Returns the bytes allocated per round once the buffers have grown. */
  private long allocated(Runnable round) {
    round.run();
    long thread = Thread.currentThread().threadId();
    long before = threads.getThreadAllocatedBytes(thread);
    for (int i = 0; i < ROUNDS; i++) {
      round.run();
    }
    return (threads.getThreadAllocatedBytes(thread) - before) / ROUNDS;
  }

  private static SampleGroup group() {
    long[] times = new long[SAMPLES];
    long[] longs = new long[SAMPLES];
    double[] doubles = new double[SAMPLES];
    long[] odd = new long[SAMPLES / 64 + 1];
    long[] even = new long[SAMPLES / 64 + 1];
    for (int i = 0; i < SAMPLES; i++) {
      times[i] = HandMadeRow.BASE + 1500L * i;
      longs[i] = 1L << (i % 63);
      doubles[i] = i / 7.0;
      (i % 2 == 0 ? even : odd)[i / 64] |= 1L << i;
    }
    return new SampleGroup(
        GroupKey.of("m", Tags.of("k", "v")),
        SAMPLES,
        times,
        List.of(new Column.Longs("value", longs, even), new Column.Doubles("value", doubles, odd)));
  }

  private static CellSink sink(MutationBatch out) {
    return new CellSink() {
      @Override
      public MutationBatch data(int table) {
        return out;
      }

      @Override
      public MutationBatch index(int table) {
        throw new AssertionError("no index");
      }

      @Override
      public void refuse(int column, int sample, Refusal refusal) {
        throw new AssertionError(refusal.message());
      }
    };
  }
}
