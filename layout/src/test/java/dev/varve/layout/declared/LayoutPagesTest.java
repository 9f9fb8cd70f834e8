package dev.varve.layout.declared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.Layout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.SampleGroup;
import dev.varve.store.Cell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every ready-made layout has a page, and what the page shows is so. */
class LayoutPagesTest {
  private static final Path PAGES = Path.of("../docs/layouts");

  /** When the first point of every example was accepted: 2015-03-01T00:10:00Z, in microseconds. */
  private static final long ACCEPTED = 1_425_168_600_000_000L;

  private static final List<String> OTHERS = List.of("heroic", "kairosdb", "opentsdb");

  static Stream<String> names() {
    return Layouts.list().stream().map(Layouts.Entry::name).filter(name -> !OTHERS.contains(name));
  }

  /** A fenced block: the words after the fence, and its lines. */
  private record Block(String kind, String info, List<String> lines) {}

  @ParameterizedTest
  @MethodSource("names")
  void thePageShowsTheDeclarationItself(String name) throws IOException {
    assertThat(blocks(name).stream().filter(block -> block.kind().equals("yaml")).toList())
        .singleElement()
        .satisfies(
            block -> assertThat(block.lines()).isEqualTo(Layouts.yaml(name).lines().toList()));
  }

  @ParameterizedTest
  @MethodSource("names")
  void thePointsOfThePageAreItsCellsAndTheCellsItsPoints(String name) throws IOException {
    List<Block> blocks = blocks(name);
    int examples = 0;
    for (int i = 0; i < blocks.size(); i++) {
      if (blocks.get(i).kind().equals("points")) {
        example(name, blocks.subList(i, blocks.size()));
        examples++;
      }
    }
    assertThat(examples).isPositive();
  }

  /** Points, then their cells in each of the layouts. */
  @Test
  void theListHasEveryLayout() throws IOException {
    String list = Files.readString(PAGES.resolve("README.md"));
    assertThat(Layouts.list())
        .allSatisfy(entry ->
            assertThat(list).contains("| [%s](%s.md)".formatted(entry.name(), entry.name())));
  }

  private static void example(String name, List<Block> blocks) {
    Block points = blocks.getFirst();
    List<Layout> layouts = Layouts.all(name, parameters(points.info()));
    for (int i = 0; i < layouts.size(); i++) {
      Layout layout = layouts.get(i);
      Block cells = blocks.get(i + 1);
      assertThat(cells.kind()).isEqualTo("cells");
      List<Cell> encoded = encode(layout, PointLines.read(points.lines()));
      assertThat(CellText.write(layout, encoded)).isEqualTo(cells.lines());
      List<String> decoded = new ArrayList<>();
      Cells.decode(
          layout,
          CellText.read(layout, cells.lines()),
          (key, row) -> {
            assertThat(row.damages()).isEmpty();
            decoded.addAll(PointLines.write(key, row));
          });
      assertThat(decoded).containsExactlyInAnyOrderElementsOf(points.lines());
    }
  }

  static List<Cell> encode(Layout layout, Batch batch) {
    Cells cells = new Cells(layout);
    long stamp = ACCEPTED;
    for (SampleGroup group : batch.groups()) {
      cells.add(group, stamp);
      stamp += group.size();
    }
    for (Attribute attribute : batch.attributes()) {
      cells.add(attribute, stamp++);
    }
    assertThat(cells.refusals).isEmpty();
    return cells.stored();
  }

  /** Returns the parameters in the text after {@code ```points}, written as {@code name=value}. */
  private static Map<String, String> parameters(String info) {
    Map<String, String> parameters = new LinkedHashMap<>();
    for (String parameter : Pattern.compile(" ").splitAsStream(info).toList()) {
      if (!parameter.isEmpty()) {
        parameters.put(
            parameter.substring(0, parameter.indexOf('=')),
            parameter.substring(parameter.indexOf('=') + 1));
      }
    }
    return parameters;
  }

  private static List<Block> blocks(String name) throws IOException {
    List<Block> blocks = new ArrayList<>();
    Block open = null;
    for (String line : Files.readAllLines(PAGES.resolve(name + ".md"))) {
      if (open != null && line.equals("```")) {
        blocks.add(open);
        open = null;
      } else if (open != null) {
        open.lines().add(line);
      } else if (line.startsWith("```")) {
        String fence = line.substring(3);
        int space = fence.indexOf(' ');
        open =
            new Block(
                space < 0 ? fence : fence.substring(0, space),
                space < 0 ? "" : fence.substring(space + 1),
                new ArrayList<>());
      }
    }
    return blocks;
  }
}
