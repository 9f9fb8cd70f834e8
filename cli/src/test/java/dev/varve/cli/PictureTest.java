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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** The picture in README.md shows the bytes that the layouts write. */
class PictureTest {
  private static final String POINT =
      "{\"metric\":\"system\",\"tags\":{\"site\":\"gew\"},\"time\":1300000000000,\"value\":42.0}";

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

  /** Returns the bytes drawn for a coordinate of a layout's cell. */
  private static String drawn(String theme, String layout, String coordinate) throws IOException {
    String picture = Files.readString(Path.of("../docs/images/one-point-%s.svg".formatted(theme)));
    Matcher group =
        Pattern.compile("(?s)<g id=\"%s-%s\"[^>]*>(.*?)</g>".formatted(layout, coordinate))
            .matcher(picture);
    assertThat(group.find()).as("%s of %s", coordinate, layout).isTrue();
    return Pattern.compile(">([0-9a-f]+)</text>")
        .matcher(group.group(1))
        .results()
        .map(bytes -> bytes.group(1))
        .collect(Collectors.joining());
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
    assertThat(cells(layout))
        .contains("\"row\":\"" + drawn(theme, layout, "row") + "\"")
        .contains("\"qualifier\":\"" + drawn(theme, layout, "column") + "\"")
        .contains("\"value\":\"" + drawn(theme, layout, "value") + "\"");
  }
}
