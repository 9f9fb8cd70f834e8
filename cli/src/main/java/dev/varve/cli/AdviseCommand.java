package dev.varve.cli;

import dev.varve.cli.io.JsonTree;
import dev.varve.cli.target.Target;
import dev.varve.cli.target.TargetOptions;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code varve advise}. */
@Command(
    name = "advise",
    description =
        "Recommends a layout for a dataset. Replans recorded queries in other layouts and shows whether, why and how to change. Changes nothing.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  varve advise",
      "  varve advise metrics --json",
      "",
      "Queries are recorded while a server runs. Ask again when dashboards have run for a day."
    })
final class AdviseCommand implements Callable<Integer> {
  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "DATASET",
      description = "The dataset (default: the configuration's).")
  private @Nullable String dataset;

  @Mixin private TargetOptions targetOptions;

  @Option(names = "--json", description = "Print the JSON of /varve/v1/advice.")
  private boolean json;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    String advice;
    try (Target target = targetOptions.openExisting(dataset)) {
      advice = target.advice();
    }
    if (json) {
      spec.commandLine().getOut().println(advice);
    } else {
      new AdviceText(JsonTree.parse(advice)).print(spec.commandLine().getOut());
    }
    spec.commandLine().getOut().flush();
    return 0;
  }
}
