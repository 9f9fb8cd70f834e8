package dev.varve.cli;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.target.ConfigOptions;
import dev.varve.engine.Snapshots;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
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
      "Example:",
      "  varve restore homes --config /etc/varve/varve.yaml --data /var/lib/varve",
      "",
      "The tables of samples come from the store's own backup, before a server starts."
    })
final class RestoreHomesCommand implements Callable<Integer> {
  @Mixin private ConfigOptions config;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    int restored = Snapshots.restoreHomes(config.read().engine(), this::tell);
    if (restored == 0) {
      throw new CommandFailedException(
          "'%s' has no home of a dataset of the configuration that is in another store"
              .formatted(config.read().engine().directory().resolve("homes")));
    }
    return 0;
  }

  private void tell(Snapshots.RestoredHome home) {
    spec.commandLine()
        .getOut()
        .printf("restored the home of dataset %s: %,d cells%n", home.dataset(), home.cells());
  }
}
