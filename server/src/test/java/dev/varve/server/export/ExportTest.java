package dev.varve.server.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.error.OverloadedException;
import dev.varve.formats.export.ExportFormat;
import dev.varve.formats.export.ExportWriter;
import dev.varve.layout.block.BlockLayout;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Samples;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.QueryUse;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Exports beside one another, and beside writers. */
class ExportTest {
  private static final long START = 1_700_000_000_000L;
  private static final int SERIES = 4;
  private static final int BATCH = 500;

  private static final Map<ExportFormat, Pattern> PATTERNS =
      Map.of(
          ExportFormat.csv,
          Pattern.compile(
              "(m\\d),\"\\{\"\"host\"\":\"\"(h\\d)\"\"}\",,value,double,(?<times>\\d+),(?<values>[\\d.E]+)"),
          ExportFormat.json,
          Pattern.compile(
              "\\{\"metric\":\\{\"__name__\":\"(m\\d)\",\"host\":\"(h\\d)\"},\"values\":\\[(?<values>[\\d.,E]+)],\"timestamps\":\\[(?<times>[\\d,]+)]}"),
          ExportFormat.openmetrics,
          Pattern.compile("(m\\d)\\{host=\"(h\\d)\"} (?<values>[\\d.E]+) (?<times>[\\d.]+)"));

  @TempDir private Path directory;

  @Test
  void leaveRoomForQueries() throws Exception {
    DatasetConfig dataset = DatasetConfig.of("main", BlockLayout.of(Map.of()));
    CountDownLatch begun = new CountDownLatch(Export.RUNNING_MAX);
    CountDownLatch read = new CountDownLatch(1);
    try (Engine engine =
            Engine.open(new EngineConfig(directory, 32 << 20, List.of(dataset), "main"));
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      engine
          .defaultDataset()
          .write(
              new BatchBuilder()
                  .add(GroupKey.of("m", Tags.EMPTY), 1_700_000_000_000L, new Value.Real(1))
                  .build());
      Export export =
          new Export(engine.defaultDataset(), List.of(Selector.metric("m")), TimeRange.ALL, false);
      List<Future<Long>> slow = new ArrayList<>();
      for (int i = 0; i < Export.RUNNING_MAX; i++) {
        slow.add(threads.submit(() -> run(export, begun, read)));
      }
      assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
      assertThatThrownBy(() -> run(export, begun, read))
          .isInstanceOf(OverloadedException.class)
          .hasMessageStartingWith("4 exports are running");
      read.countDown();
      for (Future<Long> one : slow) {
        assertThat(one.get(20, TimeUnit.SECONDS)).isEqualTo(1);
      }
      assertThat(run(export, begun, read)).isEqualTo(1);
    }
  }

  /**
   * Two threads write while the export is being read, one of them backwards in time, and go on
   * until it has ended.
   */
  @ParameterizedTest
  @EnumSource
  void holdsWhatWasAcknowledgedBeforeItBegan(ExportFormat format) throws Exception {
    DatasetConfig config = DatasetConfig.of("main", BlockLayout.of(Map.of()));
    try (Engine engine =
            Engine.open(new EngineConfig(directory, 32 << 20, List.of(config), "main"));
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Dataset dataset = engine.defaultDataset();
      AtomicBoolean ended = new AtomicBoolean();
      List<AtomicInteger> acknowledged = List.of(new AtomicInteger(), new AtomicInteger());
      List<Future<?>> writers = new ArrayList<>();
      for (int direction = 0; direction < 2; direction++) {
        int way = direction;
        AtomicInteger count = acknowledged.get(way);
        writers.add(threads.submit(() -> write(dataset, way, count, ended)));
      }
      String text;
      List<Integer> before;
      try {
        awaitMore(acknowledged, 0);
        before = acknowledged.stream().map(AtomicInteger::get).toList();
        StringWriter out =
            new StringWriter() {
              @Override
              public void write(String part) {
                awaitMore(acknowledged, Collections.max(before));
                super.write(part);
              }
            };
        new Export(
                dataset,
                List.of(Selector.metric("m0"), Selector.metric("m1")),
                TimeRange.ALL,
                false)
            .run(format, out, 1000, QueryUse.of(Export.limits(QueryLimits.DEFAULTS)));
        text = out.toString();
      } finally {
        ended.set(true);
      }
      for (Future<?> writer : writers) {
        writer.get(20, TimeUnit.SECONDS);
      }
      assertComplete(rows(format, text), before, acknowledged);
    }
  }

  private static void write(Dataset dataset, int way, AtomicInteger count, AtomicBoolean ended) {
    for (int batch = 0; !ended.get(); batch++) {
      BatchBuilder samples = new BatchBuilder();
      for (int i = 0; i < BATCH; i++) {
        int n = batch * BATCH + i;
        for (int series = 0; series < SERIES; series++) {
          samples.add(key(series), time(way, n), new Value.Real(value(series, way, n)));
        }
      }
      assertThat(dataset.write(samples.build()).refused()).isZero();
      count.addAndGet(BATCH);
    }
  }

  /** Waits until both writers have written so much, and another batch. */
  private static void awaitMore(List<AtomicInteger> acknowledged, int than) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (acknowledged.stream().anyMatch(count -> count.get() <= than + BATCH)) {
      assertThat(System.nanoTime() - end).as("the writers are stuck").isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static GroupKey key(int series) {
    return GroupKey.of("m" + series / 2, Tags.of("host", "h" + series % 2));
  }

  /** Every second series gets samples before the start, the later the earlier. */
  private static long time(int way, int n) {
    return way == 0 ? START + 10L * n : START - 10L * n - 10;
  }

  private static double value(int series, int way, int n) {
    return 1e6 * (2 * series + way) + n + 0.5;
  }

  private record Row(String series, long time, double value) {}

  private static List<Row> rows(ExportFormat format, String text) {
    return text.lines()
        .filter(line -> !line.startsWith("metric,") && !line.equals("# EOF"))
        .flatMap(line -> rowsOf(format, line))
        .toList();
  }

  private static Stream<Row> rowsOf(ExportFormat format, String line) {
    Matcher parts = Objects.requireNonNull(PATTERNS.get(format)).matcher(line);
    assertThat(parts.matches()).as(line).isTrue();
    String series = parts.group(1) + parts.group(2);
    String[] times = parts.group("times").split(",", -1);
    String[] values = parts.group("values").split(",", -1);
    assertThat(values).hasSameSizeAs(times);
    return IntStream.range(0, times.length)
        .mapToObj(i -> {
          BigDecimal time = new BigDecimal(times[i]);
          return new Row(
              series,
              (format == ExportFormat.openmetrics ? time.movePointRight(3) : time).longValueExact(),
              Double.parseDouble(values[i]));
        });
  }

  /** Checks order, which also shows that nothing is there twice, and every sample. */
  private static void assertComplete(
      List<Row> rows, List<Integer> before, List<AtomicInteger> after) {
    assertThat(rows)
        .isSortedAccordingTo(Comparator.comparing(Row::series).thenComparingLong(Row::time));
    assertThat(rows.stream().map(row -> row.series() + row.time())).doesNotHaveDuplicates();
    Map<Row, Boolean> left = new HashMap<>();
    rows.forEach(row -> left.put(row, true));
    for (int series = 0; series < SERIES; series++) {
      String name = "m" + series / 2 + "h" + series % 2;
      for (int way = 0; way < 2; way++) {
        int missing = 0;
        for (int n = 0; n < after.get(way).get(); n++) {
          Row row = new Row(name, time(way, n), value(series, way, n));
          if (left.remove(row) == null && n < before.get(way)) {
            missing++;
          }
        }
        assertThat(missing).as("missing of %s in direction %d", name, way).isZero();
      }
    }
    assertThat(left).as("samples that nobody has written").isEmpty();
  }

  /** Exports to a client that reads nothing until it is told to; returns the samples. */
  private static long run(Export export, CountDownLatch begun, CountDownLatch read)
      throws IOException {
    long[] written = new long[1];
    export.run(
        new ExportWriter() {
          @Override
          public void write(Series series, Samples samples, int from, int to) throws IOException {
            begun.countDown();
            try {
              read.await();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
            written[0] += to - from;
          }

          @Override
          public void finish() {
            begun.countDown();
          }

          @Override
          public long leftOut() {
            return 0;
          }
        },
        QueryUse.of(Export.limits(QueryLimits.DEFAULTS)));
    return written[0];
  }
}
