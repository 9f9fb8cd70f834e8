package dev.varve.bench.originals;

import dev.varve.bench.ScratchFolder;
import dev.varve.store.StoreProviders;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares the cost of writes and queries in Varve and an original server, and in their store.
 *
 * <p>{@code ./mvnw -q -f parts/NAME/pom.xml generate-resources} fetches {@code cassandra}, {@code
 * kairosdb}, {@code hbase} and {@code opentsdb}.
 */
public final class Main {
  private Main() {}

  /** Runs the comparison and prints its tables. */
  public static void main(String[] arguments) throws Exception {
    Options options = options(arguments);
    System.setProperty(StoreProviders.PLUGINS, plugins(options.launcher()));
    StringBuilder tables = new StringBuilder();
    for (String original : options.originals()) {
      try (ScratchFolder scratch = ScratchFolder.make();
          Stage stage = stage(original, options, scratch.path())) {
        tables.append(new Trial(stage, options).run()).append('\n');
      }
    }
    System.out.print(tables);
  }

  private static Stage stage(String original, Options options, Path folder) throws Exception {
    return switch (original) {
      case "kairosdb-h2" -> new KairosDbH2Stage(options, folder);
      case "kairosdb" -> new KairosDbStage(options, folder);
      default -> new OpenTsdbStage(options, folder);
    };
  }

  /** Returns the folders of the plug-ins of the source tree of a launcher. */
  private static String plugins(Path launcher) throws Exception {
    Path stores = launcher.resolveSibling("stores");
    try (Stream<Path> modules = Files.list(stores)) {
      List<Path> found = modules.map(module -> module.resolve("target/plugin")).toList();
      return found.stream()
          .filter(Files::isDirectory)
          .map(Path::toString)
          .collect(Collectors.joining(File.pathSeparator));
    }
  }

  private static Options options(String... arguments) {
    try {
      return Options.of(arguments);
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.err.println(Options.USAGE);
      System.exit(2);
      throw e;
    }
  }
}
