package dev.varve.bench;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Measures {@code varve migrate} between datasets of one home on RocksDB, beside {@code varve
 * export} of its source, which reads, and {@code varve import} of what that wrote.
 *
 * <p>Arguments: the launcher, then optionally {@code samples=N}, {@code series=N}, {@code
 * rounds=N}, {@code pairs=FROM:TO,...}. Prints a table in Markdown, of the medians of the rounds.
 */
public final class MigrationSpeed {
  private static final long START = 1_700_000_000_000L;
  private static final long STEP = 10_000;
  private static final double TICKS_A_SECOND = 100;
  private static final String ALL = "{__name__=~\".+\"}";

  private final String launcher;
  private final Path folder;
  private final int samples;
  private final int series;
  private final int rounds;
  private final List<String> pairs;

  /** Elapsed time and processor time of a command, in seconds. */
  private record Cost(double seconds, double cpuSeconds) {}

  private record Round(Cost export, Cost imports, Cost migrate) {
    /** Returns the speed of the migration relative to the slower of the others. */
    private double ratio() {
      return Math.max(export.seconds, imports.seconds) / migrate.seconds;
    }

    /** Returns the same by processor time. */
    private double cpuRatio() {
      return Math.max(export.cpuSeconds, imports.cpuSeconds) / migrate.cpuSeconds;
    }
  }

  private MigrationSpeed(String launcher, Path folder, Arguments arguments) {
    this.launcher = Path.of(launcher).toAbsolutePath().toString();
    this.folder = folder;
    this.samples = arguments.number("samples", 3_000_000);
    this.series = arguments.number("series", 300);
    this.rounds = arguments.number("rounds", 3);
    this.pairs = arguments.list("pairs", "buckets:blocks,blocks:buckets,kairosdb:blocks");
  }

  /** Runs all measurements. */
  public static void main(String[] arguments) throws Exception {
    if (arguments.length == 0) {
      System.err.println(
          "usage: MigrationSpeed LAUNCHER [samples=N] [series=N] [rounds=N] [pairs=FROM:TO,...]");
      System.exit(2);
    }
    try (ScratchFolder folder = ScratchFolder.make()) {
      new MigrationSpeed(arguments[0], folder.path(), Arguments.afterFirst(arguments)).run();
    }
  }

  private void run() throws Exception {
    System.out.printf(
        "%,d samples of %,d series, %d rounds, %d processors, Java %s%n%n",
        samples,
        series,
        rounds,
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("java.version"));
    System.out.println(
        "| migration | export/s | import/s | migrate/s | to the slower | CPU s/M: export | import | migrate | to the slower |");
    System.out.println("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    Path lines = generate();
    for (String pair : pairs) {
      String[] layouts = pair.split(":", 2);
      print(layouts[0] + " to " + layouts[1], measure(lines, layouts[0], layouts[1]));
    }
  }

  private List<Round> measure(Path lines, String from, String to) throws Exception {
    Path data = folder.resolve("data");
    Path config = folder.resolve("varve.yaml");
    StringBuilder yaml = new StringBuilder("data: " + data + "\ndatasets:\n");
    yaml.append("  source: {layout: ").append(from).append("}\n");
    for (int i = 0; i < rounds; i++) {
      yaml.append("  imported%d: {layout: %s}%n".formatted(i, to));
      yaml.append("  migrated%d: {layout: %s}%n".formatted(i, to));
    }
    yaml.append("default: source\n");
    Files.writeString(config, yaml);
    varve("import", config, "--format", "opentsdb", lines.toString());
    List<Round> all = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      Path exported = folder.resolve("exported.csv");
      String migrated = "migrated" + i;
      Cost export =
          varve("export", config, "--select", ALL, "--format", "csv", "--out", exported.toString());
      Cost imports =
          varve(
              "import",
              config,
              "--dataset",
              "imported" + i,
              "--format",
              "csv",
              exported.toString());
      Cost migrate = varve("migrate", config, "--dataset", migrated, "--source-dataset", "source");
      all.add(new Round(export, imports, migrate));
      Files.delete(exported);
    }
    ScratchFolder.delete(data);
    return all;
  }

  private Cost varve(String name, Path config, String... more) throws Exception {
    List<String> command =
        new ArrayList<>(List.of(launcher, name, "--config", config.toString(), "--no-progress"));
    command.addAll(List.of(more));
    Path output = folder.resolve("output");
    long ticks = ticksOfEnded();
    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    int exit = process.waitFor();
    double seconds = (System.nanoTime() - start) / 1e9;
    if (exit != 0) {
      throw new IllegalStateException(
          "%s ended with %d: %s".formatted(command, exit, Files.readString(output)));
    }
    return new Cost(seconds, (ticksOfEnded() - ticks) / TICKS_A_SECOND);
  }

  /** Returns the processor time of this process's children that have ended, from proc(5). */
  private static long ticksOfEnded() throws IOException {
    String stat = Files.readString(Path.of("/proc/self/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    // Fields 16 and 17 are cutime and cstime. These begin with field 3.
    return Long.parseLong(fields[13]) + Long.parseLong(fields[14]);
  }

  private void print(String what, List<Round> all) {
    double millions = samples / 1e6;
    System.out.printf(
        Locale.ROOT,
        "| %s | %,.0f | %,.0f | %,.0f | %.2f | %.2f | %.2f | %.2f | %.2f |%n",
        what,
        samples / median(all, round -> round.export().seconds()),
        samples / median(all, round -> round.imports().seconds()),
        samples / median(all, round -> round.migrate().seconds()),
        median(all, Round::ratio),
        median(all, round -> round.export().cpuSeconds()) / millions,
        median(all, round -> round.imports().cpuSeconds()) / millions,
        median(all, round -> round.migrate().cpuSeconds()) / millions,
        median(all, Round::cpuRatio));
  }

  private static double median(List<Round> all, ToDoubleFunction<Round> of) {
    return all.stream().mapToDouble(of).sorted().skip(all.size() / 2).findFirst().orElseThrow();
  }

  /** Writes OpenTSDB's text lines, ordered by time as agents send them. */
  private Path generate() throws IOException {
    Path file = folder.resolve("samples.txt");
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      for (int i = 0; i < samples; i++) {
        int source = i % series;
        long time = START + i / series * STEP;
        out.write("cpu.usage " + time + " " + i * 31L % 10_000 / 100 + "." + i % 10);
        out.write(" host=web-" + source / 4 + " mode=m" + source % 4 + "\n");
      }
    }
    return file;
  }
}
