package dev.varve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** The picture of README.md shows the bytes that the layouts write. */
class PictureTest {
  private static final String POINT =
      "{\"metric\":\"cpu.load\",\"tags\":{\"host\":\"web1\"},\"time\":1700000000000,\"value\":0.5}";

  /** Returns the cells of the point, the data cell first, as lines of JSON. */
  private static String cells(String layout) {
    InputStream stdin = System.in;
    try {
      System.setIn(new ByteArrayInputStream(POINT.getBytes(UTF_8)));
      StringWriter out = new StringWriter();
      CommandLine line = Main.commandLine().setOut(new PrintWriter(out));
      assertThat(line.execute("cells", "--layout", layout, "--output", "json")).isZero();
      return out.toString().lines().findFirst().orElseThrow();
    } finally {
      System.setIn(stdin);
    }
  }

  /** Returns the drawn bytes of each coordinate of a layout's cell. */
  private static Map<String, String> drawn(String theme, String layout) throws IOException {
    String picture = Files.readString(Path.of("../docs/images/point-%s.svg".formatted(theme)));
    Matcher bytes =
        Pattern.compile(
                "data-layout=\"%s\" data-coordinate=\"([^\"]+)\">([0-9a-f]+)<".formatted(layout))
            .matcher(picture);
    Map<String, String> drawn = new TreeMap<>();
    while (bytes.find()) {
      drawn.merge(bytes.group(1), bytes.group(2), String::concat);
    }
    return drawn;
  }

  @ParameterizedTest
  @CsvSource({
    "light, buckets",
    "light, opentsdb",
    "light, heroic",
    "dark, buckets",
    "dark, opentsdb",
    "dark, heroic"
  })
  void showsTheBytesOfTheCell(String theme, String layout) throws IOException {
    Map<String, String> drawn = drawn(theme, layout);
    assertThat(drawn).containsOnlyKeys("row key", "qualifier", "value");
    assertThat(cells(layout))
        .contains("\"row\":\"" + drawn.get("row key") + "\"")
        .contains("\"qualifier\":\"" + drawn.get("qualifier") + "\"")
        .contains("\"value\":\"" + drawn.get("value") + "\"");
  }
}
