package dev.varve.layout.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.varve.layout.Binding;
import dev.varve.layout.CellSink;
import dev.varve.layout.Layout;
import dev.varve.layout.Refusal;
import dev.varve.layout.RowSamples;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.SampleGroup;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Measures what encoding and decoding of one large group allocate besides their output. The output
 * goes to buffers that have already grown.
 */
final class Allocation {
  private static final int SAMPLES = 1 << 17;
  private static final int WARM_UP = 4;
  private static final int MEASURED = 5;

  private final LayoutFixture fixture;
  private final Layout layout;
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  Allocation(LayoutFixture fixture) {
    this.fixture = fixture;
    this.layout = fixture.layout();
  }

  void isAtMostOneByteASample() {
    for (Kind kind : layout.domain().kinds()) {
      if (fixture.kinds(fixture.fields().getFirst()).contains(kind)) {
        check(kind);
      }
    }
  }

  private void check(Kind kind) {
    SampleGroup group = group(kind);
    try (LayoutTables tables = new LayoutTables(layout, TableSource.inMemory())) {
      Binding binding = tables.bind(group.key());
      Reused sink = new Reused(layout.tables().size());
      double encoding =
          leastBytes(() -> {
            sink.clear();
            layout.encode(binding, group, 1_790_000_000_000_000L, sink);
          });
      CellBatch cells = sink.data.get(layout.dataTable()).cells();
      RowSamples out = new RowSamples();
      double decoding = leastBytes(() -> decode(cells, out));

      int samples = group.sampleCount();
      assertThat(encoding / samples).as("bytes a sample encoding %s", kind).isLessThanOrEqualTo(1);
      assertThat(decoding / samples).as("bytes a sample decoding %s", kind).isLessThanOrEqualTo(1);
    }
  }

  /** Returns one sample per second, in one field or in all that must be written together. */
  private SampleGroup group(Kind kind) {
    Random random = new Random(1);
    GroupKey key = fixture.key(random);
    BatchBuilder batch = new BatchBuilder();
    long start = fixture.holdable(1_790_000_000L * layout.resolution().perSecond());
    List<String> fields =
        fixture.fieldsComeTogether() ? fixture.fields() : fixture.fields().subList(0, 1);
    for (int i = 0; i < SAMPLES; i++) {
      long time = fixture.holdable(start + i * layout.resolution().perSecond());
      for (String field : fields) {
        Kind of = fixture.kinds(field).contains(kind) ? kind : fixture.kinds(field).getFirst();
        batch.add(key, field, time, fixture.value(of, random));
      }
    }
    return batch.build().groups().getFirst();
  }

  private void decode(CellBatch cells, RowSamples out) {
    int from = 0;
    while (from < cells.size()) {
      int to = from + 1;
      while (to < cells.size() && cells.sameRow(from, to)) {
        to++;
      }
      out.clear();
      layout.decode(cells, from, to, out);
      if (!out.damages().isEmpty()) {
        throw new AssertionError(out.damages().toString());
      }
      from = to;
    }
  }

  /**
   * Returns the minimum over several runs, since the JIT compiler may allocate during some of them.
   */
  private double leastBytes(Runnable run) {
    for (int i = 0; i < WARM_UP; i++) {
      run.run();
    }
    long least = Long.MAX_VALUE;
    for (int i = 0; i < MEASURED; i++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      run.run();
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }

  /** Collects edits in batches that are cleared and reused. */
  private static final class Reused implements CellSink {
    private final List<MutationBatch> data;
    private final List<MutationBatch> index;

    private Reused(int tables) {
      data = Stream.generate(MutationBatch::new).limit(tables).toList();
      index = Stream.generate(MutationBatch::new).limit(tables).toList();
    }

    private void clear() {
      data.forEach(MutationBatch::clear);
      index.forEach(MutationBatch::clear);
    }

    @Override
    public MutationBatch data(int table) {
      return data.get(table);
    }

    @Override
    public MutationBatch index(int table) {
      return index.get(table);
    }

    @Override
    public void refuse(int column, int sample, Refusal refusal) {
      throw new AssertionError("refused: " + refusal.message());
    }
  }
}
