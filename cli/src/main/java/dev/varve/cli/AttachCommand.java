package dev.varve.cli;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.WrongCallException;
import dev.varve.engine.attach.Inspection;
import dev.varve.engine.attach.Inspection.Candidate;
import dev.varve.engine.attach.Inspection.FoundTable;
import dev.varve.engine.attach.TableInspector;
import dev.varve.store.DirectoryTree;
import dev.varve.store.Store;
import dev.varve.store.StoreProviders;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code varve attach}. */
@Command(
    name = "attach",
    description =
        "Inspects the tables of another server and prints the configuration that serves them.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "This command never writes to the store. --co-write only sets co-write in the configuration. What is found goes",
      "to stderr, the configuration to stdout or into the file that --write names.",
      "",
      "Examples:",
      "  varve attach kairosdb --store cassandra --option contact-points=10.0.0.1 --option local-datacenter=dc1",
      "  varve attach opentsdb --store hbase --option quorum=zk1 --param saltBuckets=20 --write varve.yaml",
      "  varve attach heroic --store bigtable --option project=p --option instance=i --table metrics=prod --co-write"
    })
final class AttachCommand implements Callable<Integer> {
  private static final long MEMORY = 64L << 20;

  @Parameters(
      paramLabel = "LAYOUT",
      description = "The layout of the tables: kairosdb, opentsdb, heroic.")
  private String layout;

  @Option(
      names = "--store",
      required = true,
      paramLabel = "KIND",
      description = "The store that has them: cassandra, hbase, bigtable.")
  private String kind;

  @Option(names = "--option", paramLabel = "NAME=VALUE", description = "An option of the store.")
  private Map<String, String> options = Map.of();

  @Option(
      names = "--table",
      paramLabel = "TABLE=NAME",
      description = "The name of a table of the layout, if it is not the original's.")
  private Map<String, String> tables = Map.of();

  @Option(
      names = "--param",
      paramLabel = "NAME=VALUE",
      description = "A parameter of the layout that is known.")
  private Map<String, String> parameters = Map.of();

  @Option(
      names = "--dataset",
      defaultValue = "attached",
      paramLabel = "NAME",
      description = "The name of the dataset (default: ${DEFAULT-VALUE}).")
  private String dataset;

  @Option(
      names = "--co-write",
      description = "The configuration lets Varve write to the tables, beside the other server.")
  private boolean coWrite;

  @Option(
      names = "--write",
      paramLabel = "FILE",
      description = "Write the configuration into a new file.")
  private @Nullable Path write;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    if (write != null && Files.exists(write)) {
      throw new WrongCallException(
          "file '%s' already exists: --write makes a new one".formatted(write));
    }
    Inspection inspection = inspect();
    PrintWriter err = spec.commandLine().getErr();
    print(inspection, err);
    if (!inspection.isReadable()) {
      throw new CommandFailedException("these are no tables that layout '" + layout + "' can read");
    }
    String yaml = configuration(chosen(inspection));
    err.println();
    err.println(wouldDo());
    if (write == null) {
      spec.commandLine().getOut().print(yaml);
    } else {
      Files.writeString(write, yaml, StandardOpenOption.CREATE_NEW);
      err.println("Written to " + write + ". Next, on a port that the other server has not:");
      err.println("  ./varve serve --config " + write + " --listen 127.0.0.1:4243");
    }
    return 0;
  }

  private Inspection inspect() throws IOException {
    Path scratch = Files.createTempDirectory("varve-attach-");
    try (Store store = StoreProviders.of(kind).open(scratch.resolve(kind), MEMORY, options)) {
      return new TableInspector(store, layout, parameters, tables).inspect();
    } catch (IllegalArgumentException e) {
      throw new WrongCallException(String.valueOf(e.getMessage()));
    } finally {
      DirectoryTree.delete(scratch);
    }
  }

  private static void print(Inspection inspection, PrintWriter err) {
    err.println("Tables:");
    for (FoundTable table : inspection.tables()) {
      String state = table.there() ? "there" : "not there";
      err.println("  %s, called %s: %s".formatted(table.table(), table.name(), state));
      table.problems().forEach(problem -> err.println("    " + problem));
    }
    for (Candidate candidate : inspection.candidates()) {
      err.println();
      err.println("As " + candidate.layout().identity() + ":");
      candidate.evidence().forEach(evidence -> err.println("  " + evidence));
      if (candidate.refusal().isEmpty()) {
        err.println(
            "  %d of %d rows tried are its rows"
                .formatted(candidate.explained(), candidate.rows()));
      } else {
        err.println("  the tables say that it is not so: " + candidate.refusal());
      }
      candidate.examples().forEach(example -> err.println("    " + example));
      if (!candidate.demand().isEmpty()) {
        err.println("  " + candidate.demand());
      }
    }
  }

  /** Returns the only candidate that explains the rows. */
  private Candidate chosen(Inspection inspection) {
    List<Candidate> whole = inspection.whole();
    List<String> demands = inspection.demands();
    if (whole.isEmpty() && !demands.isEmpty()) {
      throw new CommandFailedException(String.join("; ", demands));
    }
    if (whole.isEmpty()) {
      throw new CommandFailedException(
          "no parameters of layout '%s' fit the sampled rows; name the right tables with --table, or what you know of their parameters with --param"
              .formatted(layout));
    }
    boolean empty = whole.getFirst().rows() == 0;
    if (whole.size() + demands.size() > 1 && !empty) {
      throw new CommandFailedException(
          "%d sets of parameters explain the rows that were tried: name the right one with --param"
              .formatted(whole.size() + demands.size()));
    }
    if (empty) {
      spec.commandLine()
          .getErr()
          .println(
              "  the tables hold no row that could be tried: the parameters are what was given, or defaults");
    }
    return whole.getFirst();
  }

  private String wouldDo() {
    return coWrite
        ? "A server with this configuration writes samples, and what the layout keeps beside them, into these tables as the other server does. It never makes, alters or drops them."
        : "A server with this configuration reads these tables, and writes nothing at all to their store.";
  }

  private String configuration(Candidate candidate) {
    StringBuilder yaml = new StringBuilder();
    yaml.append("datasets:\n  ").append(dataset).append(":\n");
    yaml.append("    layout: ").append(layout).append('\n');
    section(yaml, "parameters", candidate.parameters());
    yaml.append("    attach: ").append(coWrite ? "co-write" : "read-only").append('\n');
    section(yaml, "tables", tables);
    yaml.append("    store:\n      kind: ").append(kind).append('\n');
    if (!options.isEmpty()) {
      yaml.append("      options:\n");
      entries(yaml, "        ", options);
    }
    return yaml.toString();
  }

  private static void section(StringBuilder yaml, String name, Map<String, String> entries) {
    if (!entries.isEmpty()) {
      yaml.append("    ").append(name).append(":\n");
      entries(yaml, "      ", entries);
    }
  }

  private static void entries(StringBuilder yaml, String indent, Map<String, String> entries) {
    new TreeMap<>(entries)
        .forEach((name, value) ->
            yaml.append(indent)
                .append(name)
                .append(": '")
                .append(value.replace("'", "''"))
                .append("'\n"));
  }
}
