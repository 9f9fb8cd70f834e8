package dev.varve.cli;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.OutcomeOption;
import dev.varve.cli.io.Progress;
import dev.varve.cli.io.ProgressOption;
import dev.varve.cli.io.Records;
import dev.varve.cli.io.WrongCallException;
import dev.varve.cli.target.Target;
import dev.varve.cli.target.TargetOptions;
import dev.varve.engine.progress.DeleteCount;
import dev.varve.engine.progress.DeletionProgress;
import dev.varve.engine.progress.DeletionProgress.State;
import dev.varve.engine.progress.Remnant;
import dev.varve.model.Resolution;
import dev.varve.query.SelectorSyntaxException;
import dev.varve.server.varve.DeleteParameters;
import dev.varve.store.StoreException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code varve delete}. */
@Command(
    name = "delete",
    description = "Deletes samples of series in a range of times, permanently.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Example:",
      "  varve delete 'cpu{host=\"web01\"}' --from 2026-01-01 --to 2026-02-01 --dry-run",
      "",
      "A dry run counts each instant of a series once, as a query returns it.",
      "",
      "No query returns the samples any more as soon as the delete is accepted. The command then waits",
      "until they are removed from the tables. If it is broken off, the server goes on; without a server,",
      "the next one on the data directory does. It ends with 1 if damaged cells had to stay.",
      "",
      "Then it lists what may still hold deleted samples, with what removes them there: snapshots, backups",
      "below 'backup.directory' and what was set aside as damaged, if they are older than the last delete,",
      "the files of Bigtable, HBase and Cassandra, until these have collected them, and the home, which may",
      "keep labels. Other copies, such as backups elsewhere, are not known. 'varve delete --remnants' lists",
      "this at any time. It does not know of deletes that ended under builds before 28 November 2026."
    })
final class DeleteCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "SELECTOR",
      arity = "0..1",
      description = "The series, such as 'cpu{host=\"a\"}', in PromQL's syntax.")
  private @Nullable String selector;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description =
          "Samples from this time on: a date, an instant, a number in the dataset's unit, or 15m for 15 minutes ago (default: all).")
  private @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      description = "Samples before this time, in the same forms (default: all).")
  private @Nullable String to;

  @Option(names = "--dry-run", description = "Count the samples, and delete nothing.")
  private boolean dryRun;

  @Option(
      names = "--remnants",
      description = "List what may still hold samples of earlier deletes, and delete nothing.")
  private boolean remnants;

  @Mixin private TargetOptions targetOptions;

  @Mixin private ProgressOption quiet;

  @Mixin private OutcomeOption outcome;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    if (remnants) {
      return list();
    }
    Map<String, String> texts = texts();
    try (Target target = targetOptions.openExisting()) {
      return dryRun ? count(target, texts) : delete(target, texts);
    }
  }

  private int list() {
    if (selector != null || dryRun) {
      throw new WrongCallException("--remnants goes with no SELECTOR and no --dry-run");
    }
    try (Target target = targetOptions.openExisting();
        Records records =
            new Records(
                outcome.format(),
                spec.commandLine().getOut(),
                "kind",
                "name",
                "made",
                "earliest",
                "gone",
                "advice")) {
      for (Remnant one : target.remnants()) {
        records.add(
            one.kind().word(),
            one.name(),
            text(one.made()),
            one.certain() ? null : text(one.from()),
            one.certain() ? text(one.from()) : null,
            one.advice());
      }
    }
    return 0;
  }

  private static @Nullable String text(@Nullable Instant time) {
    return time == null ? null : time.toString();
  }

  private Map<String, String> texts() {
    if (selector == null) {
      throw new WrongCallException("SELECTOR is missing: which series lose samples?");
    }
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put("selector", selector);
    if (from != null) {
      texts.put("from", from);
    }
    if (to != null) {
      texts.put("to", to);
    }
    try {
      DeleteParameters.of(texts, Resolution.MILLISECONDS, Instant.now());
      return texts;
    } catch (SelectorSyntaxException | IllegalArgumentException e) {
      throw new WrongCallException(String.valueOf(e.getMessage()));
    }
  }

  private int count(Target target, Map<String, String> texts) {
    DeleteCount count = target.countDeletable(texts);
    try (Records records =
        new Records(outcome.format(), spec.commandLine().getOut(), "series", "samples")) {
      records.add(count.series(), count.samples());
    }
    return 0;
  }

  private int delete(Target target, Map<String, String> texts) {
    DeletionProgress done;
    try (Progress progress =
        new Progress(spec.commandLine().getErr(), quiet.isSilent(), "rows", 0)) {
      done =
          target.delete(
              texts, now -> progress.update(now.rows(), 0, now.samples() + " samples removed"));
    }
    try (Records records =
        new Records(
            outcome.format(),
            spec.commandLine().getOut(),
            "state",
            "rows",
            "samples",
            "cells",
            "rewritten",
            "damaged",
            "series")) {
      records.add(
          done.state().name().toLowerCase(Locale.ROOT),
          done.rows(),
          done.samples(),
          done.cells(),
          done.rewritten(),
          done.damaged(),
          done.series());
    }
    if (done.problem() != null) {
      spec.commandLine().getErr().println("varve: " + done.problem());
    }
    warn(target);
    return done.state() == State.DONE && done.damaged() == 0 ? 0 : 1;
  }

  /** Warns of places where deleted samples remain. The delete has succeeded even if this fails. */
  private void warn(Target target) {
    PrintWriter err = spec.commandLine().getErr();
    try {
      for (Remnant one : target.remnants()) {
        Instant from = one.from();
        String when = from == null ? "" : (one.certain() ? " until " : " at least until ") + from;
        err.println(
            "varve: %s may remain in %s %s%s. %s"
                .formatted(
                    one.kind() == Remnant.Kind.HOME ? "labels" : "deleted samples",
                    one.kind().word(),
                    one.name(),
                    when,
                    one.advice()));
      }
    } catch (CommandFailedException | StoreException e) {
      err.println("varve: what else holds deleted samples is not known: " + e.getMessage());
    }
  }
}
