package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class StoreBenchTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  @Test
  void measuresEveryLayoutOnAStore() {
    int code =
        run(
            "bench",
            "store",
            "rocksdb",
            "--points",
            "1000",
            "--layout",
            "buckets,kairosdb",
            "--output",
            "csv");

    assertThat(code).isZero();
    List<String> lines = out.toString().lines().toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(1)).startsWith("rocksdb,buckets,").contains(",1000,");
    assertThat(lines.get(2)).startsWith("rocksdb,kairosdb,").contains(",1000,");
  }

  @Test
  void refusesWhatItCannotMeasure() {
    assertThat(run("bench", "store", "--points", "99")).isEqualTo(2);
    assertThat(err.toString()).contains("no multiple of 100 series");
    assertThat(run("bench", "store", "memory", "rocksdb", "--option", "a=b")).isEqualTo(2);
    assertThat(err.toString()).contains("--option belongs to one store");
    assertThat(run("bench", "store", "redis")).isEqualTo(1);
    assertThat(err.toString()).contains("there is no store 'redis'");
  }
}
