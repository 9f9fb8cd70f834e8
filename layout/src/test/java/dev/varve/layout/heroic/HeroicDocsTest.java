package dev.varve.layout.heroic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.RowSamples;
import dev.varve.layout.Step;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Checks the worked examples on the layout's page. */
class HeroicDocsTest {
  private static final HeroicLayout LAYOUT = HeroicLayout.of(Map.of());
  private static final Path PAGE = Path.of("../docs/layouts/heroic.md");

  /** One block of the page. */
  private record Example(String series, Bytes row, List<String[]> points) {}

  @Test
  void decodesAndEncodesTheExamplesOfThePage() throws IOException {
    List<Example> examples = examples(Files.readAllLines(PAGE));

    assertThat(examples).hasSize(4).allSatisfy(HeroicDocsTest::check);
  }

  private static void check(Example example) {
    GroupKey key = key(example.row());
    assertThat(key).hasToString(example.series());
    for (String[] point : example.points()) {
      long time = Long.parseLong(point[0]);
      double number = Double.parseDouble(point[1]);
      Cell cell = new Cell(example.row(), 0, Bytes.fromHex(point[2]), 0, Bytes.fromHex(point[3]));

      assertThat(
              new HeroicCells(LAYOUT)
                  .add(
                      new BatchBuilder()
                          .add(key, time, new Value.Real(number))
                          .build()
                          .groups()
                          .getFirst(),
                      0)
                  .only())
          .isEqualTo(cell);
      assertThat(decode(cell)).isEqualTo(time + " " + number);
    }
  }

  private static GroupKey key(Bytes row) {
    if (LAYOUT.identify(row) instanceof Step.Done<GroupKey>(GroupKey key)) {
      return key;
    }
    throw new AssertionError("Heroic looks nothing up");
  }

  private static String decode(Cell cell) {
    CellBatch cells = new CellBatch();
    cells.add(cell);
    RowSamples out = new RowSamples();
    LAYOUT.decode(cells, 0, 1, out);
    return out.samples("value", Kind.DOUBLE).time(0)
        + " "
        + out.samples("value", Kind.DOUBLE).doubleAt(0);
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
    String series = "";
    StringBuilder row = new StringBuilder();
    List<String[]> points = new ArrayList<>();
    for (String line : block) {
      if (line.equals("```")) {
        break;
      }
      String[] words = line.split(" +", 2);
      switch (words[0]) {
        case "series" -> series = words[1];
        case "row" -> row.append(words[1].replace(" ", ""));
        case "point" -> points.add(words[1].split(" "));
        default -> throw new AssertionError("example says " + line);
      }
    }
    return new Example(series, Bytes.fromHex(row.toString()), points);
  }
}
