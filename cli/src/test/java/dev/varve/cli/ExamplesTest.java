package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** The commands on the pages of the examples print what the pages say. */
class ExamplesTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

  @TempDir Path data;

  private final InputStream stdin = System.in;
  private String before = "";

  @AfterEach
  void giveStdinBack() {
    System.setIn(stdin);
  }

  static Stream<String> examples() throws IOException {
    try (Stream<Path> folders = Files.list(ROOT.resolve("examples"))) {
      return folders
          .filter(Files::isDirectory)
          .map(folder -> folder.toFile().getName())
          .sorted()
          .toList()
          .stream();
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void commandsPrintWhatTheirPageSays(String example) throws Exception {
    List<String> lines = Files.readAllLines(ROOT.resolve("examples/" + example + "/README.md"));
    String printed = "";
    int checked = 0;
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).equals("```sh")) {
        for (String command : commands(lines, i + 1)) {
          printed = run(command);
        }
      } else if (lines.get(i).equals("```text")) {
        for (String line : block(lines, i + 1)) {
          String start = line.endsWith("...") ? line.substring(0, line.length() - 3) : line;
          assertThat(printed.lines()).as(example).anyMatch(text -> text.startsWith(start));
          checked++;
        }
      }
    }
    assertThat(checked).isPositive();
  }

  @Test
  void everyExampleIsListed() throws IOException {
    String list = Files.readString(ROOT.resolve("examples/README.md"));
    assertThat(examples())
        .allSatisfy(
            example -> assertThat(list).contains("[%s](%s/README.md)".formatted(example, example)));
  }

  private static List<String> block(List<String> lines, int from) {
    return lines.subList(from, from + lines.subList(from, lines.size()).indexOf("```"));
  }

  /**
   * Returns the commands of a block. A line that ends in a backslash continues on the next line.
   */
  private static List<String> commands(List<String> lines, int from) {
    List<String> commands = new ArrayList<>();
    String begun = "";
    for (String line : block(lines, from)) {
      if (line.endsWith("\\")) {
        begun += line.substring(0, line.length() - 1);
      } else {
        commands.add(begun + line);
        begun = "";
      }
    }
    return commands;
  }

  private String run(String command) throws Exception {
    switch (command) {
      case "sleep 1" -> Thread.sleep(1000);
      case "before=$(date -u +%Y-%m-%dT%H:%M:%SZ)" ->
          before = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
      default -> {
        return varve(command);
      }
    }
    return "";
  }

  private String varve(String command) throws IOException {
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(command);
    while (word.find()) {
      String text = word.group(1) != null ? word.group(1) : word.group(2);
      words.add(
          text.startsWith("examples/")
              ? ROOT.resolve(text).toString()
              : text.replace("$before", before));
    }
    assertThat(words.removeFirst()).isEqualTo("./varve");
    int input = words.indexOf("<");
    if (input >= 0) {
      System.setIn(new ByteArrayInputStream(Files.readAllBytes(Path.of(words.get(input + 1)))));
      words.subList(input, input + 2).clear();
    }
    if (words.contains("--config")) {
      words.addAll(List.of("--data", data.toString()));
    }
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err, true));
    int exit = line.execute(words.toArray(String[]::new));
    assertThat(exit).as("%s%n%s", command, err).isZero();
    return out.toString();
  }
}
