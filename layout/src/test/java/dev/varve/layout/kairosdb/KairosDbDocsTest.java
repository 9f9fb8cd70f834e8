package dev.varve.layout.kairosdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.kairosdb.Cells.Point;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Checks the worked examples on the layout's page. */
class KairosDbDocsTest {
  private static final Path PAGE = Path.of("../docs/layouts/kairosdb.md");

  /** One block of the page: the hexadecimal digits of each cell by table and coordinate. */
  private static final class Example {
    private Map<String, String> parameters = Map.of();
    private String sample = "";
    private boolean written;
    private final Map<String, Map<String, String>> cells = new TreeMap<>();
  }

  @Test
  void decodesAndEncodesTheExamplesOfThePage() throws IOException {
    List<Example> examples = examples(Files.readAllLines(PAGE));
    assertThat(examples).hasSize(6);
    assertThat(examples.getFirst().cells).hasSize(5);
    examples.forEach(KairosDbDocsTest::check);
  }

  private static void check(Example example) {
    KairosDbLayout layout = KairosDbLayout.of(example.parameters);
    Point point = Cells.decode(layout, List.of(cell(example, "data_points"))).getFirst();
    assertThat(point.key() + " " + point.time() + " " + show(point.value()))
        .isEqualTo(example.sample);
    if (!example.written) {
      return;
    }
    Cells encoded =
        Cells.encode(
            layout, new BatchBuilder().add(point.key(), point.time(), point.value()).build(), 0);
    for (int table = 0; table < layout.tables().size(); table++) {
      String name = layout.tables().get(table).name();
      if (example.cells.containsKey(name)) {
        assertThat(encoded.of(table)).containsExactly(cell(example, name));
      } else if (example.cells.size() > 1) {
        assertThat(encoded.of(table)).as(name).isEmpty();
      }
    }
  }

  private static Cell cell(Example example, String table) {
    Map<String, String> hex = example.cells.get(table);
    assertThat(hex).as(table).isNotNull();
    return new Cell(
        Bytes.fromHex(hex.getOrDefault("row", "")),
        0,
        Bytes.fromHex(hex.getOrDefault("qualifier", "")),
        0,
        Bytes.fromHex(hex.getOrDefault("value", "")));
  }

  private static String show(Value value) {
    return switch (value) {
      case Value.Int64 v -> "" + v.value();
      case Value.Real v -> "" + v.value();
      case Value.Text v -> '"' + v.value() + '"';
      case Value.Raw v -> throw new AssertionError("raw bytes are no sample");
    };
  }

  private static List<Example> examples(List<String> page) {
    List<Example> examples = new ArrayList<>();
    for (int i = 0; i < page.size(); i++) {
      if (page.get(i).equals("```cells")) {
        examples.add(example(page.subList(i + 1, page.size())));
      }
    }
    return examples;
  }

  private static Example example(List<String> block) {
    Example example = new Example();
    String table = "";
    for (String line : block) {
      if (line.equals("```")) {
        break;
      }
      String word = line.substring(0, 11).strip();
      String rest = line.substring(11);
      switch (word) {
        case "parameters" -> {
          int end = rest.indexOf('=');
          example.parameters = Map.of(rest.substring(0, end), rest.substring(end + 1));
        }
        case "sample", "only read" -> {
          example.sample = rest;
          example.written = word.equals("sample");
        }
        case "cell" -> {
          table = rest;
          example.cells.put(table, new TreeMap<>());
        }
        default ->
            example
                .cells
                .computeIfAbsent(table, t -> new TreeMap<>())
                .merge(word, digits(rest), String::concat);
      }
    }
    return example;
  }

  /** Returns the text before a gap of two blanks; the rest of the line is a comment. */
  private static String digits(String rest) {
    int gap = rest.indexOf("  ");
    return (gap < 0 ? rest : rest.substring(0, gap)).replace(" ", "");
  }
}
