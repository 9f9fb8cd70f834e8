package dev.varve.tree;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.WrongCallException;
import dev.varve.devstores.DevStore;
import dev.varve.devstores.DevStoreException;
import dev.varve.devstores.DevStores;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code varve dev-store}. */
@Command(
    name = "dev-store",
    description =
        "Starts a real store on this machine, to try Varve on it, and writes the configuration that uses it.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "It listens on 127.0.0.1 only, is small and unsafe, and meant for nothing but trying. Works in a source tree,",
      "where the first call fetches the store. The Bigtable emulator forgets everything when it ends.",
      "",
      "Examples:",
      "  varve dev-store cassandra",
      "  varve serve --config varve-dev/cassandra/varve.yaml    (in another terminal)"
    })
final class DevStoreCommand implements Callable<Integer> {
  private static final Duration POLL = Duration.ofMillis(200);

  @Parameters(paramLabel = "KIND", description = "bigtable, hbase or cassandra.")
  private String kind;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Where its files go (default: varve-dev/KIND).")
  private Path directory;

  @Option(
      names = "--layout",
      defaultValue = "buckets",
      description = "The layout of the dataset in the configuration (default: ${DEFAULT-VALUE}).")
  private String layout;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!DevStores.KINDS.contains(kind)) {
      throw new WrongCallException(
          "'%s' is no store that can be started here: %s"
              .formatted(kind, String.join(", ", DevStores.KINDS)));
    }
    Path place = directory == null ? Path.of("varve-dev", kind) : directory;
    Files.createDirectories(place);
    PrintWriter err = spec.commandLine().getErr();
    err.println("varve: starting %s in %s".formatted(kind, place));
    err.flush();
    try (DevStore store = start(place.resolve("store").toAbsolutePath())) {
      Path config = place.resolve("varve.yaml");
      Files.writeString(config, configuration(store.options(), place));
      announce(store, config);
      while (store.isAlive()) {
        Thread.sleep(POLL);
      }
      throw new CommandFailedException(kind + " has ended; its output is in " + store.log());
    }
  }

  private DevStore start(Path files) {
    try {
      return DevStores.of(kind).start(files);
    } catch (DevStoreException e) {
      throw new CommandFailedException(String.valueOf(e.getMessage()));
    }
  }

  private void announce(DevStore store, Path config) {
    PrintWriter out = spec.commandLine().getOut();
    store.options().forEach((name, value) -> out.println(name + ": " + value));
    out.flush();
    PrintWriter err = spec.commandLine().getErr();
    err.println();
    err.println("%s runs until Ctrl-C; what it says goes to %s.".formatted(kind, store.log()));
    err.println("A server on it, in another terminal:");
    err.println("  ./varve serve --config " + config);
  }

  private String configuration(Map<String, String> options, Path place) {
    StringBuilder yaml = new StringBuilder();
    yaml.append("# Made by: varve dev-store ").append(kind).append('\n');
    yaml.append("data: ")
        .append(quoted(place.resolve("varve-data").toAbsolutePath().toString()))
        .append('\n');
    yaml.append("datasets:\n  default:\n    layout: ").append(quoted(layout)).append('\n');
    yaml.append("    store:\n      kind: ").append(kind).append("\n      options:\n");
    new TreeMap<>(options)
        .forEach((name, value) ->
            yaml.append("        ").append(name).append(": ").append(quoted(value)).append('\n'));
    return yaml.toString();
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}
