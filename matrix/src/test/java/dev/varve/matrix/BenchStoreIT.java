package dev.varve.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.cli.Main;
import dev.varve.store.Store;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/**
 * {@code varve bench store} in a store that others use leaves nothing behind and changes nothing.
 */
class BenchStoreIT {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"bigtable", "hbase", "cassandra"})
  void measuresBesideOthersAndLeavesNothing(String kind) {
    RunningStore running = RunningStore.start(kind, directory);
    List<String> arguments =
        new ArrayList<>(
            List.of("bench", "store", kind, "--points", "1000", "--layout", "buckets,companion"));
    running
        .options()
        .forEach((name, value) -> arguments.addAll(List.of("--option", name + "=" + value)));
    StringWriter out = new StringWriter();
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    arguments.addAll(List.of("--output", "csv"));

    assertThat(line.execute(arguments.toArray(String[]::new))).isZero();

    List<String> rows = out.toString().lines().toList();
    assertThat(rows).hasSize(3);
    assertThat(rows.get(1)).startsWith(kind + ",buckets,").contains(",1000,");
    assertThat(rows.get(2)).startsWith(kind + ",companion,");
    try (Store store = running.open()) {
      assertThat(store.tables()).noneMatch(table -> table.contains("bench-"));
    }
  }
}
