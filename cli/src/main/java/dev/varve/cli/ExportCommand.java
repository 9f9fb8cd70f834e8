package dev.varve.cli;

import dev.varve.cli.io.InstantsOptions;
import dev.varve.cli.io.MetricSelector;
import dev.varve.cli.io.Progress;
import dev.varve.cli.io.ProgressOption;
import dev.varve.cli.io.WrongCallException;
import dev.varve.cli.target.Target;
import dev.varve.cli.target.TargetOptions;
import dev.varve.formats.export.ExportFormat;
import dev.varve.formats.export.ExportWriter;
import dev.varve.formats.export.ParallelExport;
import dev.varve.formats.parquet.ParquetExport;
import dev.varve.model.Resolution;
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
import java.util.Objects;
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
      "json are VictoriaMetrics' JSON lines; csv and parquet hold every kind of value; openmetrics is for promtool. It",
      "ends with 1 if the format cannot hold some samples, and says how many. 'varve import' reads all of them."
    })
final class ExportCommand implements Callable<Integer> {
  private static final int ROWS = 8192;

  /** The forms of a file. */
  enum Form {
    csv(ExportFormat.csv),
    json(ExportFormat.json),
    openmetrics(ExportFormat.openmetrics),
    parquet(null);

    private final @Nullable ExportFormat text;

    Form(@Nullable ExportFormat text) {
      this.text = text;
    }
  }

  @Option(
      names = "--select",
      required = true,
      paramLabel = "SELECTOR",
      description = "The series, such as 'cpu{host=\"a\"}', in PromQL's syntax.")
  private String selector;

  @Mixin private InstantsOptions instants;

  @Option(names = "--scan", description = "Allow the scan of a whole table.")
  private boolean scan;

  @Option(names = "--format", required = true, description = "${COMPLETION-CANDIDATES}.")
  private Form format;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "The output (default: stdout). A file appears once it is complete.")
  private @Nullable Path file;

  @Option(
      names = "--resume",
      description = "Resume a killed export into the same --out (default: start over).")
  private boolean resumes;

  @Mixin private ProgressOption quiet;

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
    if (format.text == null && file == null) {
      throw new WrongCallException(format + " needs --out: it is no text to print");
    }
    PrintWriter err = spec.commandLine().getErr();
    CountedExport counted;
    try (Target target = targetOptions.openExisting();
        Progress progress = new Progress(err, quiet.isSilent() || file == null, "samples", 0)) {
      if (file == null) {
        counted = export(target, rows, spec.commandLine().getOut(), progress);
      } else {
        try (ExportFile to = ExportFile.open(file, description(target), resumes)) {
          counted = export(target, rows, to, progress);
          to.finish();
        }
      }
    }
    long unheld = counted.unheld();
    err.println("%,d samples".formatted(counted.written() - unheld));
    if (unheld > 0) {
      err.println("%,d samples are left out, which %s cannot hold".formatted(unheld, format));
    }
    if (counted.before() > 0) {
      err.println(
          "%,d samples are left out, which the server cannot send: the name of their metric or field has a line break; export without the server"
              .formatted(counted.before()));
    }
    return counted.leftOut() == 0 ? 0 : 1;
  }

  private CountedExport export(Target target, QueryParameters rows, Writer out, Progress progress)
      throws IOException {
    ExportFormat text = Objects.requireNonNull(format.text);
    CountedExport counted =
        new CountedExport(
            new ParallelExport(text, out, target.resolution(), ROWS), progress, ExportState.NONE);
    counted.leftOutBefore(target.export(rows, counted));
    return counted;
  }

  private CountedExport export(
      Target target, QueryParameters rows, ExportFile to, Progress progress) throws IOException {
    ExportState begun = to.begun();
    ExportCheckpoints checkpoints = new ExportCheckpoints(to);
    ExportFormat text = format.text;
    ExportWriter writer =
        text == null
            ? new ParquetExport(to.bytes(), target.resolution(), begun.rows(), checkpoints)
            : new ParallelExport(
                text,
                to.text(),
                target.resolution(),
                ROWS,
                begun.bytes() > 0,
                begun.written(),
                begun.leftOut(),
                checkpoints);
    CountedExport counted = new CountedExport(writer, progress, begun);
    Series last = begun.last();
    if (last == null) {
      counted.leftOutBefore(target.export(rows, counted));
      return counted;
    }
    spec.commandLine().getErr().println("going on in " + last);
    for (String metric : target.metrics(selector)) {
      if (metric.compareTo(last.metric()) >= 0) {
        counted.leftOutBefore(
            target.export(parameters(MetricSelector.of(selector, metric)), counted.part()));
      }
    }
    counted.finish();
    return counted;
  }

  /** Returns a text that identifies the export; it is the same for a repeated export. */
  private String description(Target target) {
    return "%s of %s from %s to %s of dataset '%s' of %s"
        .formatted(
            format,
            selector,
            instants.from("the first"),
            instants.to("the last"),
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
              .formatted(instants.from(""), instants.to("")));
    }
  }

  private QueryParameters parameters(String of) {
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put("selector", of);
    instants.into(texts);
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
}
