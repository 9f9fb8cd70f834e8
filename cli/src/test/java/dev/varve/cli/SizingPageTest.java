package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.cli.config.VarveConfig;
import dev.varve.engine.Engine;
import dev.varve.engine.config.EngineConfig;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.promql.eval.PromQuery;
import dev.varve.query.promql.eval.PromSettings;
import dev.varve.query.running.QueryUse;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.DoubleUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * The formulas of the page on sizing beside what is measured. The property {@code
 * varve.sizing.layouts} names the layouts whose disk is measured, or {@code all} of the page.
 */
class SizingPageTest {
  private static final Path PAGE = Path.of("../docs/sizing.md");
  private static final long START = 1_700_000_000_000L;

  /** The beginning of a day. */
  private static final long DAY = 1_699_920_000_000L;

  /** A row of the table of bytes per sample: the layout and its bytes on RocksDB. */
  private static final Pattern LAYOUT =
      Pattern.compile("(?m)^\\| `([a-z-]+)` \\| (\\d+\\.\\d) \\| (?:\\d+\\.\\d|-) \\|$");

  private static final int BATCH = 5_000;

  /**
   * Maximum relative difference of a layout's size from the page. Files end differently every time.
   */
  private static final double DISK_TOLERANCE = 0.15;

  @TempDir private Path folder;

  @Test
  void layoutsTakeTheBytesThatThePageSays() throws IOException {
    Map<String, Double> said = new TreeMap<>();
    Matcher row = LAYOUT.matcher(Files.readString(PAGE));
    while (row.find()) {
      said.put(row.group(1), Double.valueOf(row.group(2)));
    }
    String wanted = System.getProperty("varve.sizing.layouts", "blocks,opentsdb");
    List<String> layouts =
        wanted.equals("all") ? List.copyOf(said.keySet()) : List.of(wanted.split(","));
    assertThat(said)
        .as("rows of %s", PAGE)
        .hasSizeGreaterThan(5)
        .containsKeys(layouts.toArray(new String[0]));
    Map<String, Double> measured = bytesPerSample(layouts);
    assertThat(measured).containsOnlyKeys(layouts);
    measured.forEach((layout, bytes) -> {
      double expected = Objects.requireNonNull(said.get(layout));
      assertThat(bytes)
          .as(layout)
          .isBetween(expected * (1 - DISK_TOLERANCE), expected * (1 + DISK_TOLERANCE));
    });
  }

  private static Map<String, Double> bytesPerSample(List<String> layouts) {
    StringWriter out = new StringWriter();
    StringWriter errors = new StringWriter();
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(errors, true));
    int code =
        line.execute(
            "bench",
            "store",
            "rocksdb",
            "--points",
            "100000",
            "--layout",
            String.join(",", layouts),
            "--output",
            "csv");
    assertThat(code).as("exit code; the command printed: %s", errors).isZero();
    Map<String, Double> measured = new TreeMap<>();
    out.toString()
        .lines()
        .skip(1)
        .map(row -> row.split(","))
        .forEach(row -> measured.put(row[1], Double.valueOf(row[row.length - 1])));
    return measured;
  }

  @Test
  void aSeriesTakesNoMoreOfTheCatalogThanThePageSays() throws IOException {
    long planned = figure("Plan with (\\d+) bytes per series");
    long heap = figure("- ([\\d,]+) bytes per series, so that the catalog fits in its share");
    assertThat(heap * 3 / 16).as("its share of the heap").isEqualTo(planned);
    // Fewer would show what a catalog takes without series.
    int series = 20_000;
    EngineConfig config = config("blocks");
    double written;
    try (Engine engine = Engine.open(config)) {
      for (int i = 0; i < series; i += BATCH) {
        fill(engine, i, BATCH, 1);
      }
      written = catalogBytes(engine) / series;
    }
    try (Engine engine = Engine.open(config)) {
      double reopened = catalogBytes(engine) / series;
      assertThat(Math.max(written, reopened)).isBetween(planned / 2.0, (double) planned);
    }
  }

  /** In blocks: the memory of series whose samples are not yet sealed. */
  @Test
  void samplesInMemoryTakeWhatThePageSays() throws IOException {
    long perSeries = figure("(\\d+) bytes for each series that has some, which hold \\d+ samples");
    long held = figure("\\d+ bytes for each series that has some, which hold (\\d+) samples");
    long least = figure("and (\\d+) to \\d+ bytes for each sample beyond");
    long most = figure("and \\d+ to (\\d+) bytes for each sample beyond");
    long heap = figure("([\\d,]+) bytes per series that receives samples");
    assertThat(heap / 16).as("its share of the heap").isEqualTo(perSeries);
    int series = 8_192;
    try (Engine engine = Engine.open(config("blocks"))) {
      fill(engine, 0, series, Math.toIntExact(held));
      double few = headBytes(engine) / series;
      // Memory is taken in pages of half a megabyte.
      double page = 524_288.0 / series;
      assertThat(few).isBetween(perSeries * 0.95, perSeries * 1.05 + page);
      int more = 60;
      fill(engine, 0, series, Math.toIntExact(held) + more);
      double many = headBytes(engine) / series;
      // The first samples came twice, and the last one wins.
      assertThat((many - few) / (more + held)).isBetween((double) least, most + page / more);
    }
  }

  private static double headBytes(Engine engine) {
    return engine.figures().entrySet().stream()
        .filter(figure -> figure.getKey().startsWith("head_bytes"))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }

  /** In blocks of a whole day, as they are sealed: by the bits of the values. */
  @Test
  void samplesInBlocksTakeWhatThePageSays() throws IOException {
    long perBlock = figure("(\\d+) bytes for each series and day");
    long withoutPattern = figure("doubles without a pattern \\| (\\d+) \\|");
    Random random = new Random(1);
    Map<Long, DoubleUnaryOperator> values =
        Map.of(
            0L,
            step -> 17 * step,
            8L,
            step -> random.nextInt(256),
            16L,
            step -> random.nextInt(65_536) / 100.0,
            withoutPattern,
            step -> random.nextDouble());
    Map<Long, Double> measured = new TreeMap<>();
    for (Map.Entry<Long, DoubleUnaryOperator> of : values.entrySet()) {
      measured.put(of.getKey(), sealedBytes(of.getKey(), of.getValue()));
    }
    measured.forEach((bits, bytes) -> {
      double planned = perBlock + PER_DAY * bits / 8.0;
      assertThat(bytes)
          .as("%d bits, planned %.0f of %s", bits, planned, measured)
          .isBetween(planned * 0.9, planned * 1.05);
    });
  }

  private static final int PER_DAY = 1_440;

  /** Returns the bytes of the cells of a series that has a sample each minute of a day. */
  private double sealedBytes(long name, DoubleUnaryOperator values) throws IOException {
    int series = 50;
    try (Engine engine = Engine.open(config("sealed-" + name))) {
      BatchBuilder batch = new BatchBuilder();
      for (int i = 0; i < series; i++) {
        for (int minute = 0; minute < PER_DAY; minute++) {
          batch
              .group(GroupKey.of("cpu", Tags.of("host", "h" + i)))
              .add("value", DAY + 60_000L * minute, values.applyAsDouble(minute));
        }
      }
      assertThat(engine.defaultDataset().write(batch.build()).refused()).isZero();
      // A snapshot seals what is in memory.
      engine.snapshots().create();
      return engine.figures().entrySet().stream()
              .filter(figure -> figure.getKey().startsWith("blocks_sealed_bytes"))
              .mapToDouble(Map.Entry::getValue)
              .sum()
          / series;
    }
  }

  @Test
  void aResultTakesTheMemoryThatThePageSays() throws IOException {
    long perSeries = figure("takes (\\d+) bytes per series and \\d+ per point");
    long perPoint = figure("takes \\d+ bytes per series and (\\d+) per point");
    int series = 200;
    int steps = 1_000;
    EngineConfig config = config("blocks");
    try (Engine engine = Engine.open(config)) {
      fill(engine, 0, series, steps);
      QueryUse use = QueryUse.of(QueryLimits.DEFAULTS);
      int found =
          new PromQuery("cpu", engine.defaultDataset(), use, PromSettings.DEFAULTS)
              .range(START, START + 1000L * (steps - 1), Duration.ofSeconds(1))
              .lines()
              .size();
      assertThat(found).isEqualTo(series);
      long planned = series * perSeries + (long) series * steps * perPoint;
      // What is read ahead comes on top, at most 8 MiB.
      assertThat(use.memory().most()).isBetween(planned * 9 / 10, planned * 11 / 10 + (8 << 20));
    }
  }

  private EngineConfig config(String name) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve(name + ".yaml"),
            "data: %s%ndatasets: {default: {layout: blocks}}%n".formatted(folder.resolve(name)));
    return VarveConfig.read(file, Map.of(), Map.of()).engine();
  }

  private static long figure(String pattern) throws IOException {
    Matcher said = Pattern.compile(pattern).matcher(Files.readString(PAGE).replaceAll("\\s+", " "));
    assertThat(said.find()).as("'%s' on %s", pattern, PAGE).isTrue();
    return Long.parseLong(said.group(1).replace(",", ""));
  }

  private static void fill(Engine engine, int first, int series, int steps) {
    BatchBuilder batch = new BatchBuilder();
    for (int i = first; i < first + series; i++) {
      GroupKey key =
          GroupKey.of(
              "cpu",
              Tags.of("host", "host-" + i / 100, "cpu", "c" + i % 100, "instance", "10.0.0." + i));
      for (int step = 0; step < steps; step++) {
        batch.group(key).add("value", START + 1000L * step, step + 0.5);
      }
    }
    assertThat(engine.defaultDataset().write(batch.build()).refused()).isZero();
  }

  private static double catalogBytes(Engine engine) {
    return engine.figures().entrySet().stream()
        .filter(figure -> figure.getKey().startsWith("catalog_memory_bytes"))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }
}
