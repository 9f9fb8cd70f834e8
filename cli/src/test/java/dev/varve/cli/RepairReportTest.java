package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.check.CheckFinding;
import dev.varve.engine.check.CheckFinding.Severity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RepairReportTest {
  private static final List<CheckFinding> FINDINGS =
      List.of(new CheckFinding(Severity.DAMAGE, "store rocksdb", "file 000012.sst is damaged"));

  @TempDir private Path folder;

  @Test
  void listsFindingsAsTextAndAsLinesOfJson() throws IOException {
    RepairReport.write(folder, FINDINGS);
    assertThat(folder.resolve("REPORT"))
        .hasContent("damage: store rocksdb: file 000012.sst is damaged");
    assertThat(Files.readAllLines(folder.resolve("REPORT.jsonl")))
        .singleElement()
        .satisfies(line -> assertThat(line).contains("\"file 000012.sst is damaged\""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"REPORT", "REPORT.jsonl"})
  void failsIfTheDiskIsFull(String name) throws IOException {
    Files.createSymbolicLink(folder.resolve(name), Path.of("/dev/full"));
    assertThatThrownBy(() -> RepairReport.write(folder, FINDINGS))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot be written to " + folder);
  }
}
