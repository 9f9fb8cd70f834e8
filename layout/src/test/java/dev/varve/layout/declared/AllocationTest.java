package dev.varve.layout.declared;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.varve.layout.Binding;
import dev.varve.layout.Layout;
import dev.varve.layout.RowSamples;
import dev.varve.layout.Step;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.model.Tags;
import dev.varve.store.CellBatch;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Encoding and decoding take memory for what they give out, and nothing a sample besides. */
class AllocationTest {
  private static final int PLACES = 5_000;
  private static final int SAMPLES = 2 * PLACES;
  private static final int ROUNDS = 20;
  private static final GroupKey KEY =
      new GroupKey("m", Tags.of("host", "a", "region", "b"), Tags.of("pod", "c"));

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  static Stream<Layout> layouts() {
    return LayoutPagesTest.names().flatMap(name -> Layouts.all(name, Map.of()).stream());
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void encodesIntoWhatIsThere(Layout layout) {
    Binding binding = binding(layout);
    SampleGroup group = group();
    Cells cells = new Cells(layout);
    assertThat(
            allocated(() -> {
              cells.batch().clear();
              layout.encode(binding, group, 0, cells);
            }))
        .isLessThan(SAMPLES);
    assertThat(cells.refusals).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void decodesIntoWhatIsThere(Layout layout) {
    Cells sink = new Cells(layout);
    layout.encode(binding(layout), group(), 0, sink);
    CellBatch cells = sink.batch().cells();
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
    assertThat(samples.damages()).isEmpty();
    assertThat(samples.vectors()).hasSize(2);
    assertThat(samples.vectors())
        .allSatisfy(vector -> assertThat(vector.samples().size()).isEqualTo(PLACES));
  }

  /** Bytes a round, once the buffers have grown. */
  private long allocated(Runnable round) {
    round.run();
    long thread = Thread.currentThread().threadId();
    long before = threads.getThreadAllocatedBytes(thread);
    for (int i = 0; i < ROUNDS; i++) {
      round.run();
    }
    return (threads.getThreadAllocatedBytes(thread) - before) / ROUNDS;
  }

  private static Binding binding(Layout layout) {
    return ((Step.Done<Optional<Binding>>) layout.bind(KEY, true)).value().orElseThrow();
  }

  private static SampleGroup group() {
    long[] times = new long[PLACES];
    double[] doubles = new double[PLACES];
    long[] longs = new long[PLACES];
    for (int i = 0; i < PLACES; i++) {
      times[i] = 1_700_000_000_000L + 10_000L * i;
      doubles[i] = i / 7.0;
      longs[i] = 1_000L * i;
    }
    return new SampleGroup(
        KEY,
        PLACES,
        times,
        List.of(
            new Column.Doubles("value", doubles, null), new Column.Longs("bytes", longs, null)));
  }
}
