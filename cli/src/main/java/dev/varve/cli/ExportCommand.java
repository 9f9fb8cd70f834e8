package dev.varve.cli;

import dev.varve.formats.export.ExportFormat;
import dev.varve.formats.export.ExportWriter;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.query.SelectorSyntaxException;
import dev.varve.server.varve.QueryParameters;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code varve export}. */
@Command(
    name = "export",
    description =
        "Writes all samples of the series that match, ordered by metric, series and time, whatever their number.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  varve export --select 'cpu{host=\"a\"}' --from 2026-01-01 --format json > cpu.jsonl",
      "  varve export --select 'http_requests_total' --format openmetrics --out requests.om",
      "",
      "json are VictoriaMetrics' JSON lines; csv holds every kind of value; openmetrics is for promtool. It ends with 1",
      "if the format cannot hold some samples, and says how many. 'varve import' reads all of them."
    })
final class ExportCommand implements Callable<Integer> {
  private static final int ROWS = 8192;

  /** Time between two records of how far the file is. */
  private static final long COMPLETED_NANOS = 1_000_000_000;

  @Option(
      names = "--select",
      required = true,
      paramLabel = "SELECTOR",
      description = "The series, such as 'cpu{host=\"a\"}', in PromQL's syntax.")
  private String selector;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description =
          "First instant: a date, an instant, a number in the dataset's unit, or 15m for 15 minutes ago (default: all).")
  private @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      description = "Last instant, in the same forms (default: all).")
  private @Nullable String to;

  @Option(names = "--scan", description = "Allow the scan of a whole table.")
  private boolean scan;

  @Option(names = "--format", required = true, description = "${COMPLETION-CANDIDATES}.")
  private ExportFormat format;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "Where it goes (default: stdout). The file appears once it is complete.")
  private @Nullable Path file;

  @Option(
      names = "--resume",
      description =
          "Go on where a killed export of the same into the same --out was (default: begin anew).")
  private boolean resumes;

  @Option(names = "--no-progress", description = "Do not say how far it is.")
  private boolean silent;

  @Mixin private TargetOptions targetOptions;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    QueryParameters rows = parameters(selector);
    if (resumes && file == null) {
      throw new WrongCallException("--resume needs --out: what is printed cannot go on");
    }
    if (resumes) {
      requireFixedTimes(rows);
    }
    PrintWriter err = spec.commandLine().getErr();
    Counted counted;
    try (Target target = targetOptions.openExisting();
        Progress progress = new Progress(err, silent || file == null, "samples", 0)) {
      if (file == null) {
        counted = export(target, rows, spec.commandLine().getOut(), progress);
      } else {
        try (ExportFile to = ExportFile.open(file, description(target), resumes)) {
          counted = export(target, rows, to, progress);
          to.finish();
        }
      }
    }
    long unheld = counted.writer.leftOut();
    err.println("%,d samples".formatted(counted.written - unheld));
    if (unheld > 0) {
      err.println("%,d samples are left out, which %s cannot hold".formatted(unheld, format));
    }
    if (counted.before > 0) {
      err.println(
          "%,d samples are left out, which the server cannot send: the name of their metric or field has a line break; export without the server"
              .formatted(counted.before));
    }
    return counted.leftOut() == 0 ? 0 : 1;
  }

  private Counted export(Target target, QueryParameters rows, Writer out, Progress progress)
      throws IOException {
    Counted counted = new Counted(format.to(out, target.resolution(), ROWS), progress, null);
    counted.before = target.export(rows, counted);
    return counted;
  }

  private Counted export(Target target, QueryParameters rows, ExportFile to, Progress progress)
      throws IOException {
    ExportFile.State begun = to.begun();
    Series last = begun.last();
    Counted counted =
        new Counted(
            format.to(to.out(), target.resolution(), ROWS, begun.bytes() > 0, begun.leftOut()),
            progress,
            to);
    if (last == null) {
      counted.before = target.export(rows, counted);
      return counted;
    }
    spec.commandLine().getErr().println("going on after " + last);
    for (String metric : target.metrics(selector)) {
      if (metric.compareTo(last.metric()) >= 0) {
        counted.before +=
            target.export(parameters(MetricSelector.of(selector, metric)), counted.part());
      }
    }
    counted.finish();
    return counted;
  }

  /** Returns what is exported how; two exports of the same have the same. */
  private String description(Target target) {
    return "%s of %s from %s to %s of dataset '%s' of %s"
        .formatted(
            format,
            selector,
            from == null ? "the first" : from,
            to == null ? "the last" : to,
            target.name(),
            targetOptions.place());
  }

  /** Refuses times that another run of the same command would take for others. */
  private void requireFixedTimes(QueryParameters rows) {
    Instant now = Instant.now();
    Resolution any = Resolution.MILLISECONDS;
    if (!rows.read(any, now).times().equals(rows.read(any, now.plusSeconds(60)).times())) {
      throw new WrongCallException(
          "--resume needs times that stay the same, such as a date, and not '%s' to '%s'"
              .formatted(from, to));
    }
  }

  private QueryParameters parameters(String of) {
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put("selector", of);
    if (from != null) {
      texts.put("from", from);
    }
    if (to != null) {
      texts.put("to", to);
    }
    if (scan) {
      texts.put("scan", "true");
    }
    try {
      QueryParameters rows = QueryParameters.ofRows(texts);
      rows.read(Resolution.MILLISECONDS, Instant.now());
      return rows;
    } catch (SelectorSyntaxException | IllegalArgumentException e) {
      throw new WrongCallException(String.valueOf(e.getMessage()));
    }
  }

  /** Counts samples and shows how far the export is. */
  private static final class Counted implements ExportWriter {
    private final ExportWriter writer;
    private final Progress progress;
    private final @Nullable ExportFile file;
    private final ExportFile.State begun;
    private @Nullable Series current;
    private long completed = System.nanoTime();
    private long written;

    /** Samples that the server has left out. */
    private long before;

    /**
     * @param file the file that is written; null for none
     */
    private Counted(ExportWriter writer, Progress progress, @Nullable ExportFile file) {
      this.writer = writer;
      this.progress = progress;
      this.file = file;
      this.begun = file == null ? ExportFile.State.NONE : file.begun();
      this.written = begun.written();
    }

    /** Returns a writer of a part of the export, which does not end the file. */
    private ExportWriter part() {
      Counted whole = this;
      return new ExportWriter() {
        @Override
        public void write(Series series, Samples samples, int from, int to) throws IOException {
          whole.write(series, samples, from, to);
        }

        @Override
        public void finish() {}

        @Override
        public long leftOut() {
          return whole.leftOut();
        }
      };
    }

    /** Records at times that all before a series is complete. */
    private void begin(Series series) throws IOException {
      Series before = current;
      current = series;
      if (before != null
          && file != null
          && !before.equals(series)
          && System.nanoTime() - completed >= COMPLETED_NANOS) {
        file.complete(before, written, writer.leftOut());
        completed = System.nanoTime();
      }
    }

    @Override
    public void write(Series series, Samples samples, int from, int to) throws IOException {
      if (begun.has(series)) {
        return;
      }
      begin(series);
      writer.write(series, samples, from, to);
      written += to - from;
      progress.update(written, 0, series.metric());
    }

    @Override
    public void finish() throws IOException {
      writer.finish();
    }

    @Override
    public long leftOut() {
      return before + writer.leftOut();
    }
  }
}
