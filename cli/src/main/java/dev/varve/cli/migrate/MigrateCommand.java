package dev.varve.cli.migrate;

import dev.varve.cli.io.InstantsOptions;
import dev.varve.cli.io.OutcomeOption;
import dev.varve.cli.io.Progress;
import dev.varve.cli.io.ProgressOption;
import dev.varve.cli.io.Records;
import dev.varve.cli.io.WrongCallException;
import dev.varve.cli.target.Target;
import dev.varve.cli.target.TargetOptions;
import dev.varve.model.Resolution;
import dev.varve.query.SelectorSyntaxException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code varve migrate}. */
@Command(
    name = "migrate",
    description =
        "Copies a dataset into another one, while both are written. What the target has already stays.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  varve migrate --source-dataset kairos --dataset main",
      "  varve migrate --source-data old-data --server http://127.0.0.1:4242",
      "  varve migrate --source-prometheus http://127.0.0.1:9090 --from 2026-01-01",
      "",
      "After a failure or a kill, the same command goes on where it was. It ends with 1 if samples were refused or",
      "lost, and with --verify also if anything differs."
    })
public final class MigrateCommand implements Callable<Integer> {
  @Mixin private SourceOptions sourceOptions;

  @Mixin private TargetOptions targetOptions;

  @Option(
      names = "--select",
      paramLabel = "SELECTOR",
      defaultValue = "{__name__=~\".+\"}",
      description = "The series to copy, in PromQL's syntax (default: all).")
  private String selector;

  @Mixin private InstantsOptions instants;

  @Option(
      names = "--join-fields",
      description =
          "Make each field a metric of its own, metric_field; done by itself where the target holds no fields.")
  private boolean joinFields;

  @Option(
      names = "--round-times",
      description =
          "Round times that the target cannot hold towards the past (default: they are refused).")
  private boolean roundTimes;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "0",
      description = "Samples per second at most (default: no limit).")
  private long rate;

  @Option(
      names = "--verify",
      description = "Write nothing; compare the digests of both sides alone.")
  private boolean verify;

  @Option(
      names = "--state",
      paramLabel = "FILE",
      description = "The checkpoint (default: migrate-ID.state, with an ID of the migration).")
  private @Nullable Path state;

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description =
          "Lists the digests of every series and day, and the refused samples, as lines of JSON (default: not).")
  private @Nullable Path reportFile;

  @Mixin private ProgressOption quiet;

  @Mixin private OutcomeOption outcome;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    Selection selection = selection();
    if (rate < 0) {
      throw new WrongCallException(
          "--rate is a number of samples per second, at least 1, not %d".formatted(rate));
    }
    long start = System.nanoTime();
    Totals totals;
    try (Target target = targetOptions.open();
        MigrationSource source = sourceOptions.open(target, targetOptions.place(), selection)) {
      totals = migrate(source, target, selection);
    }
    summarize(totals, (System.nanoTime() - start) / 1e9);
    boolean bad = totals.refused() + totals.dropped() + totals.lost() > 0;
    return bad || (verify && totals.own() > 0) ? 1 : 0;
  }

  private Totals migrate(MigrationSource source, Target target, Selection selection)
      throws IOException {
    String migration = description(source, target, selection);
    Path file = state == null ? stateOf(migration) : state;
    Checkpoint checkpoint = Checkpoint.read(file, migration);
    if (checkpoint.at() != null) {
      err().println("going on from " + checkpoint.at().series() + ", by " + file);
    }
    try (Report report = new Report(reportFile, checkpoint.reported());
        Progress progress = new Progress(err(), quiet.isSilent(), "samples", 0);
        Migration run =
            new Migration(
                source,
                new Mapping(
                    source.resolution(),
                    target.resolution(),
                    joinFields || !target.holdsFields(),
                    roundTimes),
                new Filler(target, rate, verify),
                checkpoint,
                file,
                report,
                progress)) {
      return run.run();
    } catch (IOException | RuntimeException e) {
      if (Files.exists(file)) {
        err().println("the same command goes on from the checkpoint " + file);
      }
      throw e;
    }
  }

  private Selection selection() {
    Selection selection = new Selection(selector, instants.from(), instants.to());
    try {
      selection.parsed();
      selection.range(Resolution.MILLISECONDS);
    } catch (SelectorSyntaxException | IllegalArgumentException e) {
      throw new WrongCallException(String.valueOf(e.getMessage()));
    }
    return selection;
  }

  private String description(MigrationSource source, Target target, Selection selection) {
    String times = selection.times().isEmpty() ? "" : " " + selection.times();
    return "%s%s to dataset '%s' of %s: %s%s"
        .formatted(
            verify ? "compare " : "",
            source.name(),
            target.name(),
            targetOptions.place(),
            selection.selector(),
            times);
  }

  private static Path stateOf(String migration) {
    CRC32C id = new CRC32C();
    id.update(migration.getBytes(StandardCharsets.UTF_8));
    return Path.of("migrate-%08x.state".formatted(id.getValue()));
  }

  private void summarize(Totals totals, double seconds) {
    err()
        .printf(
            Locale.ROOT,
            "%,d samples in %.1f s (%,.0f/s); %,d of %,d days of series are equal%n",
            totals.read(),
            seconds,
            totals.read() / Math.max(seconds, 1e-3),
            totals.equal(),
            totals.days());
    say(totals.own(), "samples differ from those that the target has, which stay");
    say(totals.coerced(), "integers are doubles in the target, which is all that its layout holds");
    say(totals.refused(), "samples are refused by the target; --report lists them");
    say(totals.dropped(), "samples are dropped by the rules of the target's server");
    say(totals.lost(), "samples are missing in the target");
    try (Records records =
        new Records(
            outcome.format(),
            spec.commandLine().getOut(),
            "samples",
            "written",
            "days",
            "equal",
            "own",
            "refused",
            "dropped",
            "lost")) {
      records.add(
          totals.read(),
          totals.written(),
          totals.days(),
          totals.equal(),
          totals.own(),
          totals.refused(),
          totals.dropped(),
          totals.lost());
    }
  }

  private void say(long count, String what) {
    if (count > 0) {
      err().printf(Locale.ROOT, "%,d %s%n", count, what);
    }
  }

  private PrintWriter err() {
    return spec.commandLine().getErr();
  }
}
