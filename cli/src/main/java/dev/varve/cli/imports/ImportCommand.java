package dev.varve.cli.imports;

import dev.varve.cli.CommandFailedException;
import dev.varve.cli.OutputFormat;
import dev.varve.cli.Progress;
import dev.varve.cli.Records;
import dev.varve.cli.Target;
import dev.varve.cli.TargetOptions;
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
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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
        "Reads files, plain or gzip, into a dataset. Points may come in any order; a file may be imported again.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Examples:",
      "  varve import --format influx metrics.lp.gz",
      "  varve import --format json export.jsonl",
      "  varve import --format csv --metric price --time-column date --tag symbol=SPX prices.csv",
      "",
      "json are VictoriaMetrics' JSON lines. csv without --metric and --metric-column is an export of Varve.",
      "Bad lines are counted and put aside, each with its reason, in FILE.bad beside the file (--bad names another",
      "place); so are lines of which single points are left out. The command ends with 1 if there were any."
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
    json
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

  @Option(names = "--no-progress", description = "Say nothing until the end.")
  private boolean noProgress;

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

  @Option(
      names = "--output",
      defaultValue = "table",
      description =
          "How the summary is printed: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OutputFormat output;

  @ArgGroup(exclusive = false, heading = "For csv:%n")
  private CsvOptions csv = new CsvOptions();

  @Spec private CommandSpec spec;

  /** The meaning of the columns of a CSV file. */
  static final class CsvOptions {
    @Option(names = "--metric", description = "The metric of all lines.")
    private @Nullable String metric;

    @Option(
        names = "--metric-column",
        paramLabel = "COLUMN",
        description = "The column that holds the metric.")
    private @Nullable String metricColumn;

    @Option(
        names = "--time-column",
        paramLabel = "COLUMN",
        defaultValue = "time",
        description = "The column of the time (default: ${DEFAULT-VALUE}).")
    private String timeColumn = "time";

    @Option(
        names = "--time-unit",
        defaultValue = "ms",
        description = "Unit of integers in it: s, ms, us or ns (default: ${DEFAULT-VALUE}).")
    private String timeUnit = "ms";

    @Option(
        names = "--time-pattern",
        description =
            "How it is written where it is neither an integer nor ISO 8601, such as 'MMM d yyyy'; read as UTC.")
    private @Nullable String timePattern;

    @Option(
        names = "--tag-columns",
        split = ",",
        paramLabel = "COLUMN",
        description = "Columns that are tags.")
    private List<String> tagColumns = List.of();

    @Option(names = "--tag", paramLabel = "NAME=VALUE", description = "A tag of all lines.")
    private Map<String, String> tags = new LinkedHashMap<>();

    @Option(
        names = "--field-columns",
        split = ",",
        paramLabel = "COLUMN[:KIND]",
        description =
            "Columns that are fields, as double, long or string (default: every other column, as double).")
    private List<String> fields = List.of();

    private CsvLines.Columns columns() {
      return new CsvLines.Columns(
          metric,
          metricColumn,
          timeColumn,
          Resolution.ofSymbol(timeUnit),
          pattern().orElse(null),
          tagColumns,
          tags,
          kinds());
    }

    private Optional<DateTimeFormatter> pattern() {
      return Optional.ofNullable(timePattern)
          .map(text -> DateTimeFormatter.ofPattern(text, Locale.ROOT));
    }

    private Map<String, Kind> kinds() {
      Map<String, Kind> kinds = new LinkedHashMap<>();
      for (String field : fields) {
        int colon = field.lastIndexOf(':');
        String column = colon < 0 ? field : field.substring(0, colon);
        if (kinds.put(column, kind(colon < 0 ? "double" : field.substring(colon + 1))) != null) {
          throw new IllegalArgumentException("column '" + column + "' comes twice");
        }
      }
      return kinds;
    }

    private static Kind kind(String name) {
      return switch (name) {
        case "double" -> Kind.DOUBLE;
        case "long" -> Kind.INT64;
        case "string" -> Kind.STRING;
        default ->
            throw new IllegalArgumentException(
                "'" + name + "' is no kind of field (try double, long or string)");
      };
    }
  }

  /** The totals over all files. */
  private static final class Tally {
    private long lines;
    private long accepted;
    private long refused;
    private long bad;
    private long leftOut;
    private long coerced;

    /** Returns whether the file of {@code --bad} holds lines of this run. */
    private boolean asideBegun;
  }

  @Override
  public Integer call() throws IOException {
    if (csv.metric != null && csv.metricColumn != null) {
      throw new ParameterException(
          spec.commandLine(),
          "csv needs either --metric or --metric-column; an export of Varve needs neither");
    }
    check("--precision", () -> Resolution.ofSymbol(precision));
    check("--time-unit", () -> Resolution.ofSymbol(csv.timeUnit));
    check("--time-pattern", csv::pattern);
    check("--field-columns", csv::kinds);
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
    long total = stdin ? 0 : Files.size(file);
    long refusedBefore = tally.refused;
    String broken = null;
    try (LineSource lines = open(file);
        BadLines badLines = new BadLines(aside, bad != null && tally.asideBegun);
        Writer writer = new Writer(target, tally, badLines, file);
        Progress progress = new Progress(err(), noProgress, "points", total)) {
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
          broken = "behind line " + lines.number() + ": " + reason(e);
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
          progress.update(
              tally.accepted,
              lines.rawBytes(),
              badLines.count() == 0 ? "" : badLines.count() + " bad lines");
        }
      }
      writer.write(batch.build());
      writer.finish();
      tally.bad += badLines.count();
      tally.leftOut += badLines.parts();
      tally.asideBegun |= badLines.isBegun();
      if (badLines.count() > 0) {
        err()
            .println(
                file + ": " + badLines.count() + " bad lines, put aside in " + badLines.file());
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
      if (blank > 0) {
        err().println(file + ": " + blank + " empty lines skipped");
      }
      if (tally.refused > refusedBefore) {
        err()
            .println(
                file
                    + ": "
                    + (tally.refused - refusedBefore)
                    + " points that the dataset refuses, with reasons in "
                    + badLines.file());
      }
    } catch (IllegalArgumentException e) {
      throw new CommandFailedException(file + ": " + e.getMessage());
    }
    if (broken != null) {
      throw new CommandFailedException(file + ", " + broken);
    }
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
          csv.metric == null && csv.metricColumn == null
              ? new CsvRows(resolution)
              : new CsvLines(csv.columns(), resolution);
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
            output,
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

  /** Writes batches in order, one at a time, while the next one is read. */
  private static final class Writer implements AutoCloseable {
    private final Target target;
    private final Tally tally;
    private final BadLines badLines;
    private final Path file;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private @Nullable Future<Target.Written> underWay;

    private Writer(Target target, Tally tally, BadLines badLines, Path file) {
      this.target = target;
      this.tally = tally;
      this.badLines = badLines;
      this.file = file;
    }

    private void write(Batch batch) throws IOException {
      finish();
      if (batch.sampleCount() > 0) {
        underWay = thread.submit(() -> target.write(batch, false));
      }
    }

    private void finish() throws IOException {
      if (underWay == null) {
        return;
      }
      try {
        Target.Written written = underWay.get();
        tally.accepted += written.accepted();
        tally.refused += written.refused();
        tally.coerced += written.coerced();
        for (String reason : written.reasons()) {
          badLines.refused(file, reason);
        }
      } catch (ExecutionException e) {
        throw e.getCause() instanceof RuntimeException cause
            ? cause
            : new IllegalStateException(e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CommandFailedException("interrupted; the same file may be imported again");
      } finally {
        underWay = null;
      }
    }

    @Override
    public void close() {
      thread.close();
    }
  }
}
