package dev.varve.cli;

import dev.varve.engine.CompactionProgress;
import dev.varve.model.Resolution;
import dev.varve.query.SelectorSyntaxException;
import dev.varve.server.varve.QueryParameters;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code varve compact}. */
@Command(
    name = "compact",
    description =
        "Makes one cell of the cells of each row, where the dataset's layout has such a form ('opentsdb'). What is read stays the same.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Example:",
      "  varve compact 'sys.cpu.user{host=\"web01\"}' --dataset tsdb --from 2026-01-01 --to 1d",
      "",
      "It may be broken off at any time and run again, beside a server that is written to, too. Rows",
      "of the last hour are left alone. It ends with 1 if rows are damaged; they stay as they are."
    })
final class CompactCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "SELECTOR",
      description = "The series, such as 'cpu{host=\"a\"}', in PromQL's syntax.")
  private String selector;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description =
          "Rows from this time on: a date, an instant, a number in the dataset's unit, or 15m for 15 minutes ago (default: all).")
  private @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      description = "Rows up to this time, in the same forms (default: all).")
  private @Nullable String to;

  @Option(names = "--scan", description = "Allow the scan of a whole table.")
  private boolean scan;

  @Mixin private TargetOptions targetOptions;

  @Option(names = "--no-progress", description = "Do not say how far it is.")
  private boolean silent;

  @Option(
      names = "--output",
      defaultValue = "table",
      description =
          "How the outcome is printed: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OutputFormat output;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    CompactionProgress done;
    try (Target target = targetOptions.openExisting();
        Progress progress = new Progress(spec.commandLine().getErr(), silent, "rows", 0)) {
      done =
          target.compact(
              parameters(), now -> progress.update(now.rows(), 0, now.compacted() + " compacted"));
    }
    try (Records records =
        new Records(
            output,
            spec.commandLine().getOut(),
            "rows",
            "compacted",
            "cellsWritten",
            "cellsDeleted",
            "damaged")) {
      records.add(done.rows(), done.compacted(), done.written(), done.deleted(), done.damaged());
    }
    done.damages().forEach(damage -> spec.commandLine().getErr().println("varve: " + damage));
    return done.damaged() == 0 ? 0 : 1;
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
}
