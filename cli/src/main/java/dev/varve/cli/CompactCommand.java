package dev.varve.cli;

import dev.varve.cli.io.OutcomeOption;
import dev.varve.cli.io.Progress;
import dev.varve.cli.io.ProgressOption;
import dev.varve.cli.io.Records;
import dev.varve.cli.io.WrongCallException;
import dev.varve.cli.target.Target;
import dev.varve.cli.target.TargetOptions;
import dev.varve.engine.progress.CompactionProgress;
import dev.varve.engine.progress.ConversionProgress;
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
    description = {
      "Rewrites stored data so that it takes less space. Queries return the same.",
      "With a selector, it makes one cell of the cells of each row, where the dataset's layout has such a form ('opentsdb').",
      "With --into blocks, it converts the cells of all earlier periods into blocks of the last one."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  varve compact 'sys.cpu.user{host=\"web01\"}' --dataset tsdb --from 2026-01-01 --to 1d",
      "  varve compact --into blocks --dataset main",
      "",
      "It can be interrupted at any time and run again, also beside a server that is written to. Rows",
      "of the last hour are left alone. It ends with 1 if rows are damaged, which stay as they are, or",
      "if cells are left that are not in blocks yet."
    })
final class CompactCommand implements Callable<Integer> {
  @Parameters(
      arity = "0..1",
      paramLabel = "SELECTOR",
      description = "The series, such as 'cpu{host=\"a\"}', in PromQL's syntax.")
  private @Nullable String selector;

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

  @Option(
      names = "--into",
      paramLabel = "LAYOUT",
      description = "Convert the whole dataset. The only layout is 'blocks'.")
  private @Nullable String into;

  @Mixin private TargetOptions targetOptions;

  @Mixin private ProgressOption quiet;

  @Mixin private OutcomeOption outcome;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    if (into != null) {
      refuseUnlessAlone(into);
      return convert();
    }
    if (selector == null) {
      throw new WrongCallException(
          "name the series to compact by a selector, or use --into blocks");
    }
    return compact(selector);
  }

  private void refuseUnlessAlone(String layout) {
    if (!layout.equals("blocks")) {
      throw new WrongCallException(
          "cells are converted into 'blocks', not into '%s'".formatted(layout));
    }
    if (selector != null || from != null || to != null || scan) {
      throw new WrongCallException(
          "--into converts the whole dataset: leave out SELECTOR, --from, --to and --scan");
    }
  }

  private int convert() {
    ConversionProgress end;
    try (Target target = targetOptions.openExisting();
        Progress progress =
            new Progress(spec.commandLine().getErr(), quiet.isSilent(), "samples", 0)) {
      end =
          target.convertIntoBlocks(
              now -> progress.update(now.samples(), 0, "blocks from " + from(now) + " on"));
    }
    try (Records records =
        new Records(
            outcome.format(),
            spec.commandLine().getOut(),
            "samples",
            "again",
            "blocksFrom",
            "done")) {
      records.add(end.samples(), end.again(), from(end), end.done());
    }
    return end.done() ? 0 : 1;
  }

  private static String from(ConversionProgress progress) {
    Instant from = progress.blocksFrom();
    return from == null ? "the beginning" : from.toString();
  }

  private int compact(String series) {
    CompactionProgress done;
    try (Target target = targetOptions.openExisting();
        Progress progress =
            new Progress(spec.commandLine().getErr(), quiet.isSilent(), "rows", 0)) {
      done =
          target.compact(
              parameters(series),
              now -> progress.update(now.rows(), 0, now.compacted() + " compacted"));
    }
    try (Records records =
        new Records(
            outcome.format(),
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

  private QueryParameters parameters(String series) {
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put("selector", series);
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
