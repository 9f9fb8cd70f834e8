package dev.varve.cli;

import dev.varve.cli.config.ConfigKeys;
import dev.varve.cli.config.VarveConfig;
import dev.varve.cli.io.OutputFormat;
import dev.varve.cli.io.Records;
import dev.varve.cli.target.ConfigOptions;
import dev.varve.server.security.AccessRules;
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
        "Checks the configuration and prints the effective one: file, environment and --set together.",
    mixinStandardHelpOptions = true)
final class ConfigCommand implements Callable<Integer> {
  private static final int LINE_MAX = 80;

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

  /** Returns the names of all keys by section, in lines that fit into a terminal. */
  private static List<String> keys() {
    Map<String, List<String>> bySection = new LinkedHashMap<>();
    for (String name : ConfigKeys.names()) {
      int dot = name.lastIndexOf('.');
      bySection
          .computeIfAbsent(dot < 0 ? "top" : name.substring(0, dot), section -> new ArrayList<>())
          .add(name.substring(dot + 1));
    }
    List<String> lines = new ArrayList<>();
    bySection.forEach((section, names) -> {
      StringBuilder line = new StringBuilder("  ").append(section).append(':');
      for (int i = 0; i < names.size(); i++) {
        String word = names.get(i) + (i < names.size() - 1 ? "," : "");
        if (line.length() + word.length() >= LINE_MAX) {
          lines.add(line.toString());
          line = new StringBuilder("   ");
        }
        line.append(' ').append(word);
      }
      lines.add(line.toString());
    });
    return lines;
  }

  @Override
  public Integer call() {
    VarveConfig config = options.read();
    // Its errors are those of a start.
    AccessRules _ = AccessRules.read(config.access());
    try (Records records = new Records(output, spec.commandLine().getOut(), "key", "value")) {
      ConfigKeys.print(config, records::add);
    }
    return 0;
  }
}
