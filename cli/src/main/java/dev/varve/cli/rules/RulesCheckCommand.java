package dev.varve.cli.rules;

import dev.varve.rules.RuleGroup;
import dev.varve.server.config.ConfigException;
import dev.varve.server.rules.RuleFiles;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code varve rules check}. */
@Command(
    name = "check",
    description = "Checks rule files, and lists every error with its file and line.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example:", "  varve rules check rules/*.yml"})
final class RulesCheckCommand implements Callable<Integer> {
  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Files, or patterns of files.")
  private List<Path> files = List.of();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    List<RuleGroup> all = new ArrayList<>();
    boolean bad = false;
    List<Path> found = RuleFiles.find(files);
    if (found.isEmpty()) {
      err.println("varve: no file fits");
      return 1;
    }
    for (Path file : found) {
      try {
        List<RuleGroup> groups = RuleFiles.read(List.of(file), Duration.ofMinutes(1));
        int rules = groups.stream().mapToInt(group -> group.rules().size()).sum();
        out.println("%s: %d groups, %d rules".formatted(file, groups.size(), rules));
        all.addAll(groups);
      } catch (ConfigException e) {
        bad = true;
        e.problems().forEach(problem -> err.println("%s: %s".formatted(file, problem)));
      }
    }
    RuleFiles.duplicates(all)
        .forEach((rule, count) ->
            err.println(
                "warning: %d rules are called %s: they may write the same series"
                    .formatted(count, rule)));
    return bad ? 1 : 0;
  }
}
