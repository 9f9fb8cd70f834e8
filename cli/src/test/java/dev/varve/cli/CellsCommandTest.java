package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Tests streams of points and cells with more than one valid line. */
class CellsCommandTest {
  private static final String LONG_METRIC = "m".repeat(20_000);

  private final InputStream stdin = System.in;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @AfterEach
  void giveStdinBack() {
    System.setIn(stdin);
  }

  private int run(byte[] input, String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    System.setIn(new ByteArrayInputStream(input));
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  private List<String> encode(String layout, String... points) {
    String[] arguments = {"cells", "--layout", layout, "--output", "json"};
    assertThat(run(utf8(List.of(points)), arguments)).as(err.toString()).isZero();
    return out.toString().lines().toList();
  }

  private int decode(String layout, List<String> cells) {
    return run(utf8(cells), "cells", "--layout", layout, "--decode");
  }

  private static byte[] utf8(List<String> lines) {
    return String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
  }

  private static String point(String host, String value) {
    return "{\"metric\":\"m\",\"tags\":{\"host\":\"%s\"},\"time\":1000,\"value\":%s}"
        .formatted(host, value);
  }

  @Test
  void companionsHoldEachPointTwiceAndSayItOnce() {
    List<String> cells = encode("companion", point("a", "1.5"), point("b", "2"));
    assertThat(cells).hasSize(4);

    assertThat(decode("companion", cells)).isZero();
    assertThat(out.toString().lines()).containsExactly(point("a", "1.5"), point("b", "2"));
    for (String cell : cells) {
      assertThat(decode("companion", List.of(cell))).isZero();
      assertThat(out.toString().lines()).hasSize(1);
    }
    assertThat(run(utf8(List.of()), "layouts", "companion")).isZero();
    assertThat(out.toString()).contains("by_tag/d").contains("by_time/d");
  }

  @Test
  void blocksShowEveryByteAndAreDecodedAgain() {
    List<String> cells = encode("blocks", point("a", "1.5"), point("b", "2"), point("a", "2.5"));
    assertThat(cells).hasSize(4);
    assertThat(decode("blocks", cells)).isZero();
    assertThat(out.toString().lines())
        .containsExactly(
            "{\"metric\":\"metric_0\",\"tags\":{\"series\":\"0\"},\"time\":1000,\"value\":2.5}",
            "{\"metric\":\"metric_0\",\"tags\":{\"series\":\"1\"},\"time\":1000,\"value\":2}");

    String body = cells.get(1).replaceFirst("\"value\":\"..", "\"value\":\"ff");
    assertThat(decode("blocks", List.of(cells.get(0), body, cells.get(3)))).isEqualTo(1);
    assertThat(out.toString())
        .contains("the checksum of the body does not match", "a body without a head");

    assertThat(run(utf8(List.of(point("a", "1.5"))), "cells", "--layout", "blocks")).isZero();
    assertThat(out.toString())
        .contains("blocks/h", "blocks/b", "1000=1.5", "doubles: form", "checksum of head");
    assertThat(run(utf8(List.of()), "layouts")).isZero();
    assertThat(out.toString().lines())
        .anyMatch(line -> line.startsWith("blocks ") && line.contains("the default"));
    assertThat(run(utf8(List.of()), "layouts", "blocks")).isZero();
    assertThat(out.toString()).contains("resolution", "journal/j", "0 or more");
    assertThat(out.toString().lines().filter(line -> line.startsWith("row key")))
        .map(line -> line.replaceAll(" {2,}", "|"))
        .containsExactly(
            "row key|width|LITERAL",
            "row key|bucket|TIME",
            "row key|metric and field|METRIC",
            "row key|series|TAGS");
  }

  @Test
  void parametersNeedALayout() {
    assertThat(run(utf8(List.of()), "layouts", "--param", "unit=days")).isEqualTo(2);
    assertThat(err.toString()).contains("--param needs the name of a layout");
  }

  @Test
  void anUnknownLayoutIsNoDefect() {
    assertThat(decode("no-such-layout", List.of())).isEqualTo(1);
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(err.toString()).contains("no-such-layout");
  }

  @Test
  void aDamagedCopyOfACellDoesNotHideIt() {
    for (String layout : List.of("buckets", "heroic", "kairosdb", "opentsdb", "entity")) {
      List<String> cells = new ArrayList<>(encode(layout, point("a", "1.5")));
      String sample =
          cells.stream().filter(cell -> cell.contains("3ff8")).findFirst().orElseThrow();
      String damaged = sample.replaceAll("\"value\":\"[0-9a-f]+\"", "\"value\":\"7b\"");
      cells.addAll(List.of(damaged, sample));
      for (int i = 0; i < cells.size(); i++) {
        Collections.rotate(cells, 1);
        assertThat(decode(layout, cells)).as(layout).isEqualTo(1);
        assertThat(out.toString().lines())
            .as(layout)
            .hasSize(2)
            .contains(point("a", "1.5"))
            .anyMatch(line -> line.startsWith("{\"damaged\":\""));
      }
    }
  }

  @Test
  void everyValueThatIsGivenForACellIsPrinted() {
    String one = encode("heroic", point("a", "1.5")).getFirst();
    String other = encode("heroic", point("a", "2.5")).getFirst();

    assertThat(decode("heroic", List.of(one, other, one))).isZero();
    assertThat(out.toString().lines())
        .containsExactlyInAnyOrder(point("a", "1.5"), point("a", "2.5"));
  }

  @Test
  void ofSeveralVersionsTheLastAcceptedIsPrintedLast() {
    List<String> cells = encode("amended", point("a", "559.4"), point("a", "558.4"));
    assertThat(cells).hasSize(2);

    for (List<String> lines : List.of(cells, cells.reversed())) {
      assertThat(decode("amended", lines)).isZero();
      assertThat(out.toString().lines()).containsExactly(point("a", "559.4"), point("a", "558.4"));
    }
  }

  @Test
  void malformedCellsAreShownUnchanged() {
    String known = "{\"table\":\"buckets\",\"family\":\"d\",\"row\":\"00\",";
    List<String> lines =
        List.of(
            known + "\"qualifier\":\"00\",\"value\":12}",
            known + "\"qualifier\":{\"a\":[1]},\"value\":\"00\"}",
            known + "\"qualifier\":\"00\",\"value\":null}");

    assertThat(decode("buckets", lines)).isEqualTo(1);
    assertThat(out.toString().lines()).hasSize(3);
    lines.forEach(line -> assertThat(out.toString()).contains("\"cell\":" + line + "}"));
  }

  @Test
  void bytesThatAreNoUtf8AreRefusedAndNotReplaced() {
    byte[] points = utf8(List.of(point("a", "1.5"), point("?", "2.5"), point("b", "3.5")));
    for (int i = 0; i < points.length; i++) {
      points[i] = points[i] == '?' ? (byte) 0xff : points[i];
    }
    String[] arguments = {"cells", "--layout", "heroic", "--output", "json"};

    assertThat(run(points, arguments)).isEqualTo(1);
    assertThat(out.toString().lines()).hasSize(2);
    assertThat(err.toString()).contains("line 2: the line is no UTF-8 from character 31 on");
  }

  @Test
  void aRefusalIsOneLineWhateverTheNamesHold() {
    String points = point("a\\n\\u001b[1m", "{\"string\":\"x\"}") + "\n" + point("a", "1.5");
    String[] arguments = {"cells", "--layout", "heroic", "--output", "json"};

    assertThat(run(points.getBytes(StandardCharsets.UTF_8), arguments)).isEqualTo(1);
    assertThat(out.toString().lines()).hasSize(1);
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(err.toString()).contains("heroic.kind").contains("\\u000a\\u001b");
  }

  @Test
  void aPointThatIsRefusedLeavesNothingBehind() {
    String other = point("b", "\"NaN\"").replace("\"m\"", "\"other\"");
    String[] arguments = {"cells", "--layout", "opentsdb", "--output", "json"};
    List<String> without = encode("opentsdb", point("a", "1.5"), point("c", "2"));

    List<String> points = List.of(other, point("a", "1.5"), other, point("c", "2"));
    assertThat(run(utf8(points), arguments)).isEqualTo(1);
    assertThat(out.toString().lines()).containsExactlyElementsOf(without);
    assertThat(err.toString()).contains("opentsdb.number");
  }

  @Test
  void cellsAreAsLongAsTheirLayoutHas() {
    String longPoint = point("a", "1.5").replace("\"m\"", '"' + LONG_METRIC + '"');

    assertThat(decode("kairosdb", encode("kairosdb", longPoint))).isZero();
    assertThat(out.toString().lines()).containsExactly(longPoint);
  }
}
