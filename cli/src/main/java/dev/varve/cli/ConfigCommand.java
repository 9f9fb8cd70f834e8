package dev.varve.cli;

import dev.varve.cli.config.ConfigKeys;
import dev.varve.cli.config.VarveConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code varve config}. */
@Command(
    name = "config",
    description =
        "Checks the configuration and prints what it comes to: file, environment and --set together.",
    mixinStandardHelpOptions = true)
final class ConfigCommand implements Callable<Integer> {
  @Mixin private ConfigOptions options;

  @Option(
      names = "--output",
      defaultValue = "table",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OutputFormat output;

  private CommandSpec spec = CommandSpec.create();

  @Spec
  void spec(CommandSpec own) {
    spec = own;
    List<String> footer =
        new ArrayList<>(
            List.of(
                "",
                "Examples:",
                "  varve config --config varve.yaml",
                "  VARVE_MEMORY=1GB varve config --set datasets.metrics.layout=kairosdb",
                "",
                "Keys:"));
    footer.addAll(keys());
    own.usageMessage().footer(footer.toArray(String[]::new));
  }

  /** Returns the names of all keys, one line for each section. */
  private static List<String> keys() {
    Map<String, List<String>> bySection = new LinkedHashMap<>();
    for (String name : ConfigKeys.names()) {
      int dot = name.lastIndexOf('.');
      bySection
          .computeIfAbsent(name.substring(0, dot + 1), section -> new ArrayList<>())
          .add(name.substring(dot + 1));
    }
    return bySection.entrySet().stream()
        .map(section -> "  " + section.getKey() + String.join("|", section.getValue()))
        .toList();
  }

  @Override
  public Integer call() {
    VarveConfig config = options.read();
    try (Records records = new Records(output, spec.commandLine().getOut(), "key", "value")) {
      ConfigKeys.print(config, records::add);
    }
    return 0;
  }
}
