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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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

  @Option(names = "--no-progress", description = "Do not say how far it is.")
  private boolean silent;

  @Mixin private TargetOptions targetOptions;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    QueryParameters rows = parameters();
    PrintWriter err = spec.commandLine().getErr();
    Counted counted;
    try (Target target = targetOptions.openExisting();
        Progress progress = new Progress(err, silent || file == null, "samples", 0)) {
      if (file == null) {
        counted = export(target, rows, spec.commandLine().getOut(), progress);
      } else {
        Path partial = file.resolveSibling(file.getFileName() + ".partial");
        try (Writer out = Files.newBufferedWriter(partial, StandardCharsets.UTF_8)) {
          counted = export(target, rows, out, progress);
        }
        Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING);
      }
    }
    err.println("%,d samples".formatted(counted.written - counted.leftOut()));
    if (counted.leftOut() > 0) {
      err.println(
          "%,d samples are left out, which %s cannot hold; csv can"
              .formatted(counted.leftOut(), format));
    }
    return counted.leftOut() == 0 ? 0 : 1;
  }

  private Counted export(Target target, QueryParameters rows, Writer out, Progress progress)
      throws IOException {
    Counted counted = new Counted(format.to(out, target.resolution(), ROWS), progress);
    target.export(rows, counted);
    return counted;
  }

  private QueryParameters parameters() {
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put("selector", selector);
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
    private long written;

    private Counted(ExportWriter writer, Progress progress) {
      this.writer = writer;
      this.progress = progress;
    }

    @Override
    public void write(Series series, Samples samples, int from, int to) throws IOException {
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
      return writer.leftOut();
    }
  }
}
