package dev.varve.cli.rules;

import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.layout.registry.Layouts;
import dev.varve.server.config.ConfigException;
import dev.varve.server.rules.RuleTestFile;
import dev.varve.store.DirectoryTree;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code varve rules test}. */
@Command(
    name = "test",
    description =
        "Runs unit tests of rules, as 'promtool test rules' reads them, each over a dataset in memory.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example:", "  varve rules test rules/tests.yml"})
final class RulesTestCommand implements Callable<Integer> {
  private static final long MEMORY = 64L << 20;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Files of tests.")
  private List<Path> files = List.of();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    boolean bad = false;
    for (Path file : files) {
      RuleTestFile tests;
      try {
        tests = RuleTestFile.read(file);
      } catch (ConfigException e) {
        bad = true;
        e.problems().forEach(problem -> err.println("%s: %s".formatted(file, problem)));
        continue;
      }
      for (RuleTestFile.Test test : tests.tests()) {
        List<String> failures = run(tests, test);
        out.println(
            "%s: %s: %s".formatted(file, test.name(), failures.isEmpty() ? "ok" : "failed"));
        out.flush();
        failures.forEach(failure -> err.println("  " + failure));
        bad |= !failures.isEmpty();
      }
    }
    return bad ? 1 : 0;
  }

  private static List<String> run(RuleTestFile tests, RuleTestFile.Test test) throws IOException {
    Path folder = Files.createTempDirectory("varve-rules");
    DatasetConfig dataset =
        new DatasetConfig(
            "test",
            new StoreConfig("memory", Map.of()),
            List.of(new PeriodConfig(Instant.MIN, List.of(Layouts.of("buckets", Map.of())))),
            null,
            DatasetConfig.Duplicates.LAST,
            Set.of(),
            false);
    try (Engine engine = Engine.open(new EngineConfig(folder, MEMORY, List.of(dataset), "test"))) {
      return tests.run(test, engine.defaultDataset());
    } finally {
      DirectoryTree.delete(folder);
    }
  }
}
