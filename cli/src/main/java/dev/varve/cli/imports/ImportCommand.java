package dev.varve.cli.imports;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.OutcomeOption;
import dev.varve.cli.io.Progress;
import dev.varve.cli.io.ProgressOption;
import dev.varve.cli.io.Records;
import dev.varve.cli.target.Target;
import dev.varve.cli.target.TargetOptions;
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
import dev.varve.model.BatchBuilder;
import dev.varve.model.Resolution;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
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
      "lines with a rejected point. The exit code is 1 if there were any."
    })
public final class ImportCommand implements Callable<Integer> {
  private static final int BATCH_SAMPLES = 10_000;

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
    long start = System.nanoTime();
    Tally tally = new Tally();
    try (Target target = targetOptions.open()) {
      for (Path file : files) {
        importFile(file, target, tally);
      }
    } catch (IOException | RuntimeException e) {
      if (tally.accepted > 0) {
        err()
            .printf(
                Locale.ROOT,
                "%,d points were written before this failed; the same files may be imported again%n",
                tally.accepted);
      }
      throw e;
    }
    summarize(tally, (System.nanoTime() - start) / 1e9);
    return tally.bad + tally.leftOut + tally.refused == 0 ? 0 : 1;
  }

  /** Validates an option before any file is opened. */
  private void check(String option, Supplier<?> meaning) {
    try {
      var ignored = meaning.get();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage());
    }
  }

  private void importFile(Path file, Target target, Tally tally) throws IOException {
    boolean stdin = file.toString().equals("-");
    Path aside = bad != null ? bad : Path.of((stdin ? "stdin" : file.toString()) + ".bad");
    long refusedBefore = tally.refused;
    String broken;
    try (BadLines badLines = new BadLines(aside, bad != null && tally.asideBegun);
        BatchWriter writer = new BatchWriter(target, tally, badLines, file)) {
      broken =
          format == Format.parquet
              ? readRows(file, target, tally, badLines, writer)
              : readLines(file, target, tally, badLines, writer);
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

  /** Says what was put aside. */
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
  private @Nullable String readLines(
      Path file, Target target, Tally tally, BadLines badLines, BatchWriter writer)
      throws IOException {
    String broken = null;
    long total = file.toString().equals("-") ? 0 : Files.size(file);
    try (LineSource lines = open(file);
        Progress progress = new Progress(err(), quiet.isSilent(), "points", total)) {
      LeftOut leftOut = new LeftOut();
      long blank = 0;
      LineFormat reader = reader(target, leftOut);
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
        tally.lines++;
        try {
          reader.read(lines.bytes(), lines.from(), lines.to(), batch);
        } catch (BadLineException e) {
          leftOut.clear();
          badLines.add(file, lines, String.valueOf(e.getMessage()));
        }
        if (leftOut.count() > 0) {
          badLines.addParts(file, lines, leftOut);
          leftOut.clear();
        }
        if (format == Format.csv && isBlank(lines)) {
          blank++;
        }
        if (batch.sampleCount() >= BATCH_SAMPLES) {
          writer.write(batch.build());
          progress.update(tally.accepted, lines.rawBytes(), badLines.soFar());
        }
      }
      writer.write(batch.build());
      if (blank > 0) {
        err().println(file + ": " + blank + " empty lines skipped");
      }
    }
    return broken;
  }

  /** Reads a file of Parquet like {@link #readLines}. */
  private @Nullable String readRows(
      Path file, Target target, Tally tally, BadLines badLines, BatchWriter writer)
      throws IOException {
    String broken = null;
    try (ParquetRows rows = ParquetRows.open(file, target.resolution(), table);
        Progress progress = new Progress(err(), quiet.isSilent(), "points", rows.total())) {
      BatchBuilder batch = new BatchBuilder();
      while (true) {
        try {
          if (!rows.next(batch)) {
            break;
          }
        } catch (BadLineException e) {
          badLines.addRow(file, rows.number(), String.valueOf(e.getMessage()));
        } catch (IOException e) {
          broken = "behind row " + rows.number() + ": " + e.getMessage();
          break;
        }
        tally.lines++;
        if (batch.sampleCount() >= BATCH_SAMPLES) {
          writer.write(batch.build());
          progress.update(tally.accepted, rows.number(), badLines.soFar());
        }
      }
      writer.write(batch.build());
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
            tally.accepted / Math.max(seconds, 1e-3));
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
