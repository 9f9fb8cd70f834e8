package dev.varve.cli.imports;

import dev.varve.cli.imports.ImportState.Input;
import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.OutcomeOption;
import dev.varve.cli.io.Progress;
import dev.varve.cli.io.ProgressOption;
import dev.varve.cli.io.Records;
import dev.varve.cli.io.WrongCallException;
import dev.varve.cli.target.Target;
import dev.varve.cli.target.TargetOptions;
import dev.varve.engine.config.Acknowledgement;
import dev.varve.formats.export.CsvRows;
import dev.varve.formats.export.VictoriaMetricsLines;
import dev.varve.formats.text.BadLineException;
import dev.varve.formats.text.CsvLines;
import dev.varve.formats.text.Exposition;
import dev.varve.formats.text.InfluxLines;
import dev.varve.formats.text.KairosDbLines;
import dev.varve.formats.text.LeftOut;
import dev.varve.formats.text.LineFormat;
import dev.varve.formats.text.OpenTsdbLines;
import dev.varve.formats.text.PrometheusLines;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Resolution;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code varve import}. */
@Command(
    name = "import",
    description =
        "Reads files, text also as gzip, into a dataset. Points may come in any order; a file may be imported again.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Examples:",
      "  varve import --format influx metrics.lp.gz",
      "  varve import --format json export.jsonl",
      "  varve import --format csv --metric price --time-column date --tag symbol=SPX prices.csv",
      "  varve import --format parquet export.parquet",
      "",
      "json are VictoriaMetrics' JSON lines. csv and parquet without --metric and --metric-column are exports of Varve.",
      "Bad lines are counted and go to FILE.bad beside the file (--bad names another place) with their reason, as do",
      "lines with a rejected point. The exit code is 1 if there were any.",
      "After a failure or a kill, the same command with --resume continues where it was."
    })
public final class ImportCommand implements Callable<Integer> {
  private static final int BATCH_SAMPLES = 10_000;

  /** Lines after which a batch ends even if few of them have a point. */
  private static final int BATCH_LINES = 100_000;

  /**
   * The acknowledgements with which an answered write is durable: on disk, or as its store
   * promises.
   */
  private static final Set<String> DURABLE =
      Set.of(Acknowledgement.FSYNC.word(), Acknowledgement.STORE.word());

  private static final Path STDIN = Path.of("-");

  /** The supported formats. */
  enum Format {
    csv,
    influx,
    opentsdb,
    kairosdb,
    prometheus,
    openmetrics,
    json,
    parquet
  }

  @Mixin private TargetOptions targetOptions;

  @Option(names = "--format", required = true, description = "${COMPLETION-CANDIDATES}.")
  private Format format;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Files to read; - for stdin.")
  private List<Path> files;

  @Option(
      names = "--bad",
      paramLabel = "FILE",
      description = "Where bad lines go (default: FILE.bad, or stdin.bad).")
  private @Nullable Path bad;

  @Option(
      names = "--resume",
      description = "Resume a killed import of the same files (default: start over).")
  private boolean resumes;

  @Option(
      names = "--state",
      paramLabel = "FILE",
      description =
          "The file that records progress (default: import-ID.state, with an ID of files, options and target).")
  private @Nullable Path state;

  @Mixin private ProgressOption quiet;

  @Option(
      names = "--precision",
      defaultValue = "ns",
      description =
          "Unit of the times of influx lines: s, ms, us or ns (default: ${DEFAULT-VALUE}).")
  private String precision;

  @Option(
      names = "--join-fields",
      description =
          "Make each field of influx lines a metric of its own, measurement_field; done by itself where the layout holds no fields.")
  private boolean joinFields;

  @Mixin private OutcomeOption outcome;

  @ArgGroup(exclusive = false, heading = "For csv and parquet:%n")
  private TableOptions table = new TableOptions();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    if (table.metric != null && table.metricColumn != null) {
      throw new ParameterException(
          spec.commandLine(),
          "csv and parquet need either --metric or --metric-column; an export of Varve needs neither");
    }
    check("--precision", () -> Resolution.ofSymbol(precision));
    check("--time-unit", () -> Resolution.ofSymbol(table.timeUnit));
    check("--time-pattern", table::pattern);
    check("--field-columns", table::kinds);
    if (resumes && files.stream().anyMatch(ImportCommand::isGoneOnceRead)) {
      throw new WrongCallException("--resume needs files: what came from stdin or a pipe is gone");
    }
    long start = System.nanoTime();
    Tally tally = new Tally();
    try (Target target = targetOptions.open()) {
      importFiles(target, tally);
    } catch (IOException | RuntimeException e) {
      if (tally.accepted > tally.acceptedBefore) {
        err()
            .printf(
                Locale.ROOT,
                "%,d points were written before this failed; the same files may be imported again%n",
                tally.accepted - tally.acceptedBefore);
      }
      throw e;
    }
    summarize(tally, (System.nanoTime() - start) / 1e9);
    return tally.bad + tally.leftOut + tally.refused == 0 ? 0 : 1;
  }

  private void importFiles(Target target, Tally tally) throws IOException {
    ImportMarks marks = marks(target);
    ImportState begun = marks.begun();
    if (begun != null) {
      tally.goOnFrom(begun);
      err().println("going on in " + files.get(marks.firstFile()) + " after " + begun.number());
    }
    try {
      for (int i = marks.firstFile(); i < files.size(); i++) {
        importFile(i, target, tally, marks);
      }
      marks.finish();
    } catch (IOException | RuntimeException e) {
      marks.sayHowToGoOn();
      throw e;
    }
  }

  /** Returns the record of the import's progress. */
  private ImportMarks marks(Target target) throws IOException {
    if (files.stream().anyMatch(ImportCommand::isGoneOnceRead)) {
      return ImportMarks.none(err());
    }
    String obstacle = obstacle(target);
    if (obstacle != null) {
      if (resumes || state != null) {
        throw new CommandFailedException(
            "an import into '%s' cannot be resumed, since %s import again, without --resume and --state"
                .formatted(target.name(), obstacle));
      }
      return ImportMarks.none(err());
    }
    String imported = description(target);
    Path file = state == null ? stateOf(imported) : state;
    return resumes
        ? ImportMarks.resumed(file, imported, target.created(), files, err())
        : ImportMarks.fresh(file, imported, target.created(), err());
  }

  /** Returns why an import into a target cannot be resumed; null if it can. */
  private static @Nullable String obstacle(Target target) {
    if (target.durability().isEmpty()) {
      return "the server does not say whether its writes are durable: upgrade it, or";
    }
    if (!DURABLE.contains(target.durability())) {
      return "writes there are answered before the disk has them (durability '%s'):"
          .formatted(target.durability());
    }
    return target.created().isEmpty()
        ? "the server does not say when the dataset was created: upgrade it, or"
        : null;
  }

  private static boolean isGoneOnceRead(Path file) {
    return file.equals(STDIN) || (Files.exists(file) && !Files.isRegularFile(file));
  }

  /** Returns a text that identifies the import; it is the same for a repeated import. */
  private String description(Target target) {
    return "%s of %s to dataset '%s' of %s; precision %s, join-fields %s, bad %s; %s"
        .formatted(
            format,
            files.stream().map(file -> file.toAbsolutePath().normalize()).toList(),
            target.name(),
            targetOptions.place(),
            precision,
            joinFields,
            bad,
            table.description());
  }

  private static Path stateOf(String imported) {
    CRC32C id = new CRC32C();
    id.update(imported.getBytes(StandardCharsets.UTF_8));
    return Path.of("import-%08x.state".formatted(id.getValue()));
  }

  /** Validates an option before any file is opened. */
  private void check(String option, Supplier<?> meaning) {
    try {
      var ignored = meaning.get();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage());
    }
  }

  private void importFile(int index, Target target, Tally tally, ImportMarks marks)
      throws IOException {
    Path file = files.get(index);
    Path aside =
        bad != null ? bad : Path.of((file.equals(STDIN) ? "stdin" : file.toString()) + ".bad");
    ImportState begun = index == marks.firstFile() ? marks.begun() : null;
    long refusedBefore = tally.refused - (begun == null ? 0 : begun.file().refused());
    String broken;
    try (BadLines badLines =
            begun == null
                ? new BadLines(aside, bad != null && tally.asideBegun)
                : BadLines.resumed(aside, begun.file());
        BatchWriter writer = new BatchWriter(target, tally, badLines, file)) {
      OneFile one = new OneFile(index, file, target, tally, badLines, writer, marks, refusedBefore);
      broken = format == Format.parquet ? readRows(one) : readLines(one);
      writer.finish();
      tally.bad += badLines.count();
      tally.leftOut += badLines.parts();
      tally.asideBegun |= badLines.isBegun();
      report(file, badLines, tally.refused - refusedBefore);
    } catch (IllegalArgumentException e) {
      throw new CommandFailedException(file + ": " + e.getMessage());
    }
    if (broken != null) {
      throw new CommandFailedException(file + ", " + broken);
    }
  }

  /** The parts of the import of one file. */
  private record OneFile(
      int index,
      Path path,
      Target target,
      Tally tally,
      BadLines badLines,
      BatchWriter writer,
      ImportMarks marks,
      long refusedBefore) {
    /** Returns the lines or rows that an earlier run has stored. */
    long done() {
      return marks.doneOf(index);
    }

    /** Records that everything up to a line or row is stored, if it is time to. */
    void reached(Supplier<Input> input, long number) throws IOException {
      if (number > done() && marks.isDue()) {
        writer.finish();
        marks.reached(input.get(), number, tally, badLines.soFar(tally.refused - refusedBefore));
      }
    }
  }

  /** Reports the lines and values that were set aside. */
  private void report(Path file, BadLines badLines, long refused) {
    if (badLines.count() > 0) {
      err().println(file + ": " + badLines.count() + " bad lines, put aside in " + badLines.file());
    }
    if (badLines.parts() > 0) {
      err()
          .println(
              file
                  + ": "
                  + badLines.parts()
                  + " values left out of lines that were read otherwise, with reasons in "
                  + badLines.file());
    }
    if (refused > 0) {
      err()
          .println(
              file
                  + ": "
                  + refused
                  + " points that the dataset refuses, with reasons in "
                  + badLines.file());
    }
  }

  /** Reads a file to its end; or to a place where it cannot be read, which is returned. */
  private @Nullable String readLines(OneFile of) throws IOException {
    String broken = null;
    long size = of.path().equals(STDIN) ? 0 : Files.size(of.path());
    try (LineSource lines = open(of.path());
        Progress progress = new Progress(err(), quiet.isSilent(), "points", size)) {
      LeftOut leftOut = new LeftOut();
      long blank = 0;
      LineFormat reader = reader(of.target(), leftOut);
      BatchBuilder batch = new BatchBuilder();
      while (true) {
        try {
          if (!lines.next()) {
            break;
          }
        } catch (IOException e) {
          // What was read before the error is valid and is written before the command fails.
          broken = "after line " + lines.number() + ": " + reason(e);
          break;
        }
        readLine(of, lines, reader, leftOut, batch);
        if (format == Format.csv && isBlank(lines)) {
          blank++;
        }
        if (isFull(batch, lines.number(), of.done())) {
          write(of, batch, lines.number(), progress, lines.rawBytes());
          of.reached(() -> new Input(size, lines.rawBytes(), lines.digest()), lines.number());
        }
      }
      of.writer().write(batch.build());
      of.marks().fileDone(new Input(size, lines.rawBytes(), lines.digest()));
      if (blank > 0) {
        err().println(of.path() + ": " + blank + " empty lines skipped");
      }
    }
    return broken;
  }

  /**
   * Reads a line into a batch, or puts it aside. A line that an earlier run has stored is read too,
   * because the meaning of later ones may depend on it.
   */
  private static void readLine(
      OneFile of, LineSource lines, LineFormat reader, LeftOut leftOut, BatchBuilder batch)
      throws IOException {
    boolean isNew = lines.number() > of.done();
    of.tally().lines += isNew ? 1 : 0;
    try {
      reader.read(lines.bytes(), lines.from(), lines.to(), batch);
    } catch (BadLineException e) {
      leftOut.clear();
      if (isNew) {
        of.badLines().add(of.path(), lines, String.valueOf(e.getMessage()));
      }
    }
    if (leftOut.count() > 0) {
      if (isNew) {
        of.badLines().addParts(of.path(), lines, leftOut);
      }
      leftOut.clear();
    }
  }

  /** Returns whether a batch ends with a line or row. */
  private static boolean isFull(BatchBuilder batch, long number, long done) {
    return batch.sampleCount() >= BATCH_SAMPLES || number % BATCH_LINES == 0 || number == done;
  }

  /** Writes a batch, unless an earlier run has stored it. */
  private static void write(
      OneFile of, BatchBuilder batch, long number, Progress progress, long bytes)
      throws IOException {
    Batch full = batch.build();
    if (number <= of.done()) {
      return;
    }
    of.writer().write(full);
    progress.update(of.tally().accepted - of.tally().acceptedBefore, bytes, of.badLines().soFar());
  }

  /** Reads a file of Parquet like {@link #readLines}. */
  private @Nullable String readRows(OneFile of) throws IOException {
    String broken = null;
    try (ParquetRows rows = ParquetRows.open(of.path(), of.target().resolution(), table);
        Progress progress = new Progress(err(), quiet.isSilent(), "points", rows.total())) {
      // Rows lie in several places of the file, so all of it decides whether it has changed.
      long size = Files.size(of.path());
      byte[] digest = of.marks().areKept() ? InputDigest.of(of.path(), size) : new byte[0];
      Input input = new Input(size, size, digest);
      BatchBuilder batch = new BatchBuilder();
      while (true) {
        try {
          if (!rows.next(batch)) {
            break;
          }
        } catch (BadLineException e) {
          if (rows.number() > of.done()) {
            of.badLines().addRow(of.path(), rows.number(), String.valueOf(e.getMessage()));
          }
        } catch (IOException e) {
          broken = "after row " + rows.number() + ": " + e.getMessage();
          break;
        }
        of.tally().lines += rows.number() > of.done() ? 1 : 0;
        if (isFull(batch, rows.number(), of.done())) {
          write(of, batch, rows.number(), progress, rows.number());
          of.reached(() -> input, rows.number());
        }
      }
      of.writer().write(batch.build());
      of.marks().fileDone(input);
    }
    return broken;
  }

  private static LineSource open(Path file) throws IOException {
    try {
      return LineSource.open(file);
    } catch (FileSystemException e) {
      throw e;
    } catch (IOException e) {
      throw new CommandFailedException(file + ": " + reason(e));
    }
  }

  private static String reason(IOException failure) {
    return switch (failure) {
      case EOFException e -> "its gzip data ends in the middle";
      case ZipException e -> "its gzip data is damaged: " + e.getMessage();
      default -> String.valueOf(failure.getMessage());
    };
  }

  private static boolean isBlank(LineSource line) {
    boolean ended = line.to() > line.from() && line.bytes()[line.to() - 1] == '\r';
    return line.from() == (ended ? line.to() - 1 : line.to());
  }

  private LineFormat reader(Target target, LeftOut leftOut) {
    Resolution resolution = target.resolution();
    LongSupplier now =
        () -> Resolution.MILLISECONDS.convert(Instant.now().toEpochMilli(), resolution);
    return switch (format) {
      case csv ->
          table.metric == null && table.metricColumn == null
              ? new CsvRows(resolution)
              : new CsvLines(table.columns(), resolution);
      case influx ->
          new InfluxLines(
                  Resolution.ofSymbol(precision),
                  resolution,
                  now,
                  joinFields || !target.holdsFields())
              .reporting(leftOut);
      case opentsdb -> new OpenTsdbLines(resolution);
      case kairosdb -> new KairosDbLines(resolution, leftOut);
      case prometheus -> new PrometheusLines(resolution, now);
      case openmetrics -> new Exposition(true, resolution, now, Map.of(), bytes -> {});
      case json -> new VictoriaMetricsLines(resolution, Map.of());
      case parquet -> throw new IllegalStateException("its rows are no lines");
    };
  }

  private void summarize(Tally tally, double seconds) {
    err()
        .printf(
            Locale.ROOT,
            "%,d points of %,d lines in %.1f s (%,.0f points/s)%n",
            tally.accepted,
            tally.lines,
            seconds,
            (tally.accepted - tally.acceptedBefore) / Math.max(seconds, 1e-3));
    if (tally.coerced > 0) {
      err()
          .printf(
              Locale.ROOT,
              "%,d integers were stored as doubles, which is all that the layout holds%n",
              tally.coerced);
    }
    try (Records records =
        new Records(
            outcome.format(),
            spec.commandLine().getOut(),
            "points",
            "lines",
            "bad",
            "left_out",
            "refused",
            "seconds")) {
      records.add(
          tally.accepted,
          tally.lines,
          tally.bad,
          tally.leftOut,
          tally.refused,
          String.format(Locale.ROOT, "%.3f", seconds));
    }
  }

  private PrintWriter err() {
    return spec.commandLine().getErr();
  }
}
