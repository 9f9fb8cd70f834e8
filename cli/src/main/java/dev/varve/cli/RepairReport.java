package dev.varve.cli;

import dev.varve.engine.check.AffectedSeries;
import dev.varve.engine.check.CheckFinding;
import dev.varve.formats.json.JsonLines;
import dev.varve.server.varve.CheckJson;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Writes the findings of a repair to files next to the damaged ones. */
final class RepairReport {
  private RepairReport() {}

  /** Writes {@code REPORT} for people and {@code REPORT.jsonl} with one finding per line. */
  static void write(Path folder, List<CheckFinding> findings) throws IOException {
    try (PrintWriter text =
        new PrintWriter(
            Files.newBufferedWriter(folder.resolve("REPORT"), StandardCharsets.UTF_8))) {
      for (CheckFinding finding : findings) {
        text.println(
            "%s: %s: %s"
                .formatted(
                    finding.severity().name().toLowerCase(Locale.ROOT),
                    finding.place(),
                    finding.text()));
        for (AffectedSeries series : finding.affected()) {
          text.println("  " + series.dataset() + " " + series);
        }
        long more = finding.affectedSeries() - finding.affected().size();
        if (more > 0) {
          text.println("  and %,d series more".formatted(more));
        }
      }
    }
    try (PrintWriter json =
        new PrintWriter(
            Files.newBufferedWriter(folder.resolve("REPORT.jsonl"), StandardCharsets.UTF_8))) {
      for (CheckFinding finding : findings) {
        JsonLines.write(json, line -> CheckJson.write(finding, line));
      }
    }
  }
}
