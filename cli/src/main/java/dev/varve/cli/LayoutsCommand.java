package dev.varve.cli;

import dev.varve.cli.io.LayoutOptions;
import dev.varve.cli.io.OutputFormat;
import dev.varve.cli.io.Records;
import dev.varve.cli.io.WrongCallException;
import dev.varve.layout.LayoutParameter;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.registry.Layouts;
import dev.varve.store.FamilySpec;
import dev.varve.store.TableSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code varve layouts}. */
@Command(
    name = "layouts",
    description =
        "Lists the layouts that are known by name, or shows one: its parameters, its row key part by part, its tables.",
    mixinStandardHelpOptions = true,
    footer = {"", "Examples:", "  varve layouts", "  varve layouts opentsdb --param saltWidth=1"})
final class LayoutsCommand implements Callable<Integer> {
  @Parameters(arity = "0..1", paramLabel = "NAME", description = "The layout to show.")
  private @Nullable String name;

  @Option(
      names = "--param",
      paramLabel = "NAME=VALUE",
      description = "A parameter of the layout. May come several times.")
  private Map<String, String> parameters = new LinkedHashMap<>();

  @Option(
      names = "--output",
      defaultValue = "table",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OutputFormat output;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    if (name == null && !parameters.isEmpty()) {
      throw new WrongCallException("--param needs the name of a layout");
    }
    if (name == null) {
      list();
    } else {
      showLayout(name);
    }
    return 0;
  }

  private void list() {
    try (Records records =
        new Records(output, spec.commandLine().getOut(), "name", "parameters", "about")) {
      for (Layouts.Entry entry : Layouts.listStored()) {
        records.add(
            entry.name(), names(entry.parameters()), entry.about() + defaultIn(entry.name()));
      }
    }
  }

  private static String names(List<LayoutParameter> of) {
    return of.stream().map(LayoutParameter::name).collect(Collectors.joining(" "));
  }

  private static String defaultIn(String layout) {
    return switch (layout) {
      case Layouts.DEFAULT -> "; the default in rocksdb and memory";
      case Layouts.OF_CELLS -> "; the default in other stores";
      default -> "";
    };
  }

  private void showLayout(String wanted) {
    List<StorageLayout> layouts = LayoutOptions.stored(wanted, parameters);
    try (Records records =
        new Records(output, spec.commandLine().getOut(), "what", "name", "value")) {
      Layouts.listStored().stream()
          .filter(entry -> entry.name().equals(wanted))
          .forEach(entry -> entry.parameters().forEach(each -> addParameter(each, records)));
      layouts.forEach(layout -> addLayout(layout, records));
    }
  }

  private static void addParameter(LayoutParameter parameter, Records records) {
    String byDefault = parameter.defaultValue();
    records.add(
        "parameter",
        parameter.name(),
        parameter.about() + (byDefault == null ? "" : " (default: " + byDefault + ")"));
  }

  private static void addLayout(StorageLayout layout, Records records) {
    layout.identity().parameters().forEach((key, value) -> records.add("identity", key, value));
    layout.rowParts().forEach(part -> records.add("row key", part.label(), part.role()));
    for (TableSpec table : layout.tables()) {
      for (FamilySpec family : table.families()) {
        records.add("family", table.name() + "/" + family.name(), describe(family));
      }
    }
    records.add("domain", "kinds", layout.domain().kinds());
    int tagsMin = layout.domain().tagsMin();
    int tagsMax = layout.domain().tagsMax();
    records.add(
        "domain",
        "tags",
        tagsMax == Integer.MAX_VALUE ? tagsMin + " or more" : tagsMin + " to " + tagsMax);
    records.add("domain", "fields", layout.domain().fields());
    records.add("domain", "resource", layout.domain().resource());
  }

  private static String describe(FamilySpec family) {
    int max = family.maxVersions();
    String versions =
        max == FamilySpec.ALL_VERSIONS
            ? "all versions"
            : max + (max == 1 ? " version" : " versions");
    return "cell time is " + family.time() + ", " + versions;
  }
}
