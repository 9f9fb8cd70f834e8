package dev.varve.cli;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.target.ConfigOptions;
import dev.varve.engine.Snapshots;
import dev.varve.engine.config.EngineConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code varve restore homes}. */
@Command(
    name = "homes",
    description =
        "Writes the homes of datasets on Bigtable, HBase and Cassandra, with their catalogs, from a restored data directory into their stores. A home that is there is not overwritten.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  varve restore homes --config /etc/varve/varve.yaml --data /var/lib/varve",
      "  varve restore homes --config /etc/varve/varve.yaml --data /var/lib/varve --replace metrics",
      "",
      "The tables of samples come from the store's own backup, before a server starts. With --replace no other server may",
      "run on the store."
    })
final class RestoreHomesCommand implements Callable<Integer> {
  @Mixin private ConfigOptions config;

  @Option(
      names = "--replace",
      paramLabel = "DATASET",
      description =
          "Restore the home of this dataset alone, and drop the tables of the home that its store has first. Tables of samples stay.")
  private @Nullable String replaced;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    EngineConfig engine = config.read().engine();
    Path data = engine.directory();
    if (!Files.isDirectory(data)) {
      throw new CommandFailedException(
          "there is no data directory '%s': --data names another".formatted(data));
    }
    int restored;
    try (DirectoryLock _ = DirectoryLock.take(data)) {
      restored =
          replaced == null
              ? Snapshots.restoreHomes(engine, this::tell)
              : Snapshots.replaceHome(engine, replaced, this::tell);
    }
    if (restored == 0) {
      throw new CommandFailedException(
          "'%s' has no home of %s that is in another store"
              .formatted(
                  data.resolve("homes"),
                  replaced == null
                      ? "a dataset of the configuration"
                      : "a dataset '%s'".formatted(replaced)));
    }
    return 0;
  }

  private void tell(Snapshots.RestoredHome home) {
    spec.commandLine()
        .getOut()
        .printf("restored the home of dataset %s: %,d cells%n", home.dataset(), home.cells());
  }
}
