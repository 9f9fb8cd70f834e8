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

  /**
   * Writes {@code REPORT} as text and {@code REPORT.jsonl} with one finding per line.
   *
   * @throws IOException if a file cannot be written completely
   */
  static void write(Path folder, List<CheckFinding> findings) throws IOException {
    try (PrintWriter text = open(folder.resolve("REPORT"))) {
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
          text.println("  and %,d more series".formatted(more));
        }
      }
      ensureWritten(text, folder);
    }
    try (PrintWriter json = open(folder.resolve("REPORT.jsonl"))) {
      for (CheckFinding finding : findings) {
        JsonLines.write(json, line -> CheckJson.write(finding, line));
      }
      ensureWritten(json, folder);
    }
  }

  private static PrintWriter open(Path file) throws IOException {
    return new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8));
  }

  /** Fails if a write has failed, which a {@link PrintWriter} only records. */
  private static void ensureWritten(PrintWriter report, Path folder) throws IOException {
    if (report.checkError()) {
      throw new IOException("the report of the repair cannot be written to " + folder);
    }
  }
}
