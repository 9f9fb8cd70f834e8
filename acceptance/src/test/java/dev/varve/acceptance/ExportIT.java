package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.devstores.Prometheus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code promtool} makes blocks out of an export, and they have every sample of it. */
class ExportIT {
  private static final long START = 1_700_000_000_000L;

  @Test
  void promtoolMakesBlocksOfAnExport() throws Exception {
    Path folder = Checkout.fresh("export");
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 500; i++) {
      for (String host : List.of("a", "b\\\"c")) {
        lines.append(
            "{\"metric\":{\"__name__\":\"m_total\",\"host\":\"%s\"},\"values\":[%s],\"timestamps\":[%d]}%n"
                .formatted(host, i + 0.25, START + 15_000L * i + 1));
      }
    }
    lines.append(
        "{\"metric\":{\"__name__\":\"a.dot\",\"x.y\":\"z\"},\"values\":[-1e300],\"timestamps\":[%d]}%n"
            .formatted(START));
    Files.writeString(folder.resolve("in.jsonl"), lines);
    Checkout.run(folder, "import", "--format", "json", "in.jsonl").success();
    Checkout.run(
            folder,
            "export",
            "--select",
            "{__name__=~\".+\"}",
            "--format",
            "openmetrics",
            "--out",
            "out.om")
        .success();

    String tool = Prometheus.promtool().toString();
    Checkout.run(
            new ProcessBuilder(tool, "tsdb", "create-blocks-from", "openmetrics", "out.om", "tsdb")
                .directory(folder.toFile()))
        .success();
    // promtool opens the blocks as a server's, which has a log beside them.
    Files.createDirectories(folder.resolve("tsdb/wal"));
    String dumped =
        Checkout.run(new ProcessBuilder(tool, "tsdb", "dump", "tsdb").directory(folder.toFile()))
            .success();
    assertThat(dumped.lines()).hasSize(1001);
    assertThat(dumped)
        .contains("{__name__=\"m_total\", host=\"a\"} 0.25 1700000000001")
        .contains("{__name__=\"m_total\", host=\"b\\\"c\"} 499.25 1700007485001")
        .contains("-1e+300 1700000000000");
  }
}
