package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The commands as they are called: arguments and stdin in, stdout, stderr and an exit code out. */
class CommandLineTest {
  private static final String POINT =
      "{\"metric\":\"m\",\"tags\":{\"host\":\"a\"},\"time\":1700000000000,\"value\":1.5}";

  @TempDir Path folder;

  private final InputStream stdin = System.in;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String input, String... arguments) {
    System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  @AfterEach
  void giveStdinBack() {
    System.setIn(stdin);
  }

  @Test
  void everyCommandHasAnExampleInItsHelp() {
    for (String command :
        List.of("serve", "import", "query", "put", "explain", "cells", "layouts", "config")) {
      out.getBuffer().setLength(0);
      assertThat(run("", command, "--help")).isZero();
      assertThat(out.toString()).as(command).containsIgnoringCase("example").contains("--output");
    }
  }

  @Test
  void aWrongCallEndsWithTwoAndSaysSoOnStderr() {
    assertThat(run("", "cells")).isEqualTo(2);
    assertThat(err.toString()).contains("--layout");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void aFailureEndsWithOneAndOneLine() {
    assertThat(run("", "cells", "--layout", "no-such-layout")).isEqualTo(1);
    assertThat(err.toString()).contains("no-such-layout").doesNotContain("\tat ");
  }

  @Test
  void whatCellsEncodesItDecodes() {
    assertThat(run(POINT + "\n", "cells", "--layout", "buckets", "--output", "json")).isZero();
    String cells = out.toString();
    out.getBuffer().setLength(0);

    assertThat(run(cells, "cells", "--layout", "buckets", "--decode")).isZero();
    assertThat(out.toString().strip()).isEqualTo(POINT);
  }

  @Test
  void aDamagedCellIsPrintedWithItsReason() {
    String cell =
        "{\"table\":\"buckets\",\"family\":\"d\",\"row\":\"ff\",\"qualifier\":\"00\",\"value\":\"00\"}";

    assertThat(
            run(
                cell + "\n{\"table\":\"x\"}\nnonsense\n",
                "cells",
                "--layout",
                "buckets",
                "--decode"))
        .isEqualTo(1);
    assertThat(out.toString().lines())
        .hasSize(3)
        .allMatch(line -> line.startsWith("{\"damaged\":\""));
    assertThat(out.toString()).contains("\"cell\":" + cell).contains("\"cell\":\"nonsense\"");
  }

  @Test
  void aBadPointIsNamedAndTheOthersAreKept() {
    assertThat(
            run(
                "{\"metric\":1}\n" + POINT + "\n",
                "cells",
                "--layout",
                "buckets",
                "--output",
                "json"))
        .isEqualTo(1);
    assertThat(err.toString()).contains("line 1");
    assertThat(out.toString().lines()).hasSize(1);
  }

  @Test
  void whatIsPutIsQueriedAndExplained() {
    String data = folder.resolve("data").toString();

    assertThat(run("", "put", "--data", data, POINT)).isZero();
    out.getBuffer().setLength(0);
    assertThat(
            run(
                "",
                "query",
                "m{host=\"a\"}",
                "--data",
                data,
                "--from",
                "2023-11-14",
                "--to",
                "2023-11-15",
                "--output",
                "json"))
        .isZero();
    assertThat(out.toString().strip())
        .isEqualTo(
            "{\"metric\":\"m\",\"labels\":{\"host\":\"a\"},\"time\":1700000000000,\"value\":1.5}");
    out.getBuffer().setLength(0);
    assertThat(
            run(
                "",
                "explain",
                "m{host=\"a\"}",
                "--data",
                data,
                "--from",
                "2023-11-14",
                "--to",
                "2023-11-15",
                "--analyze"))
        .isZero();
    assertThat(out.toString())
        .contains("1 series match")
        .contains("returned  1 samples of 1 series");
    out.getBuffer().setLength(0);
    assertThat(run("", "explain", "--point", POINT, "--data", data)).isZero();
    assertThat(out.toString()).contains("qualifier");
  }

  @Test
  void importCountsBadLinesAndPutsThemAside() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("cpu.lp"),
            "cpu,host=a usage=1.5 1700000000000000000\nnonsense\ncpu,host=a usage=2 1700000001000000000\n");
    String data = folder.resolve("data").toString();

    assertThat(
            run(
                "",
                "import",
                "--data",
                data,
                "--format",
                "influx",
                "--no-progress",
                file.toString()))
        .isEqualTo(1);
    assertThat(err.toString()).contains("2 points of 3 lines").contains("1 bad lines");
    out.getBuffer().setLength(0);
    assertThat(Files.readString(folder.resolve("cpu.lp.bad")))
        .contains("line 2")
        .contains("nonsense");
    assertThat(run("", "query", "cpu", "--data", data, "--from", "2023-11-14", "--output", "csv"))
        .isZero();
    assertThat(out.toString().lines()).hasSize(3);
  }
}
