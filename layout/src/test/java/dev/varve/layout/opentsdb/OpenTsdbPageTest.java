package dev.varve.layout.opentsdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Checks the examples in docs/layouts/opentsdb.md. */
class OpenTsdbPageTest {
  private static final Pattern POINT =
      Pattern.compile(
          "\\{\"metric\":\"(.*?)\",\"tags\":\\{\"(.*?)\":\"(.*?)\",\"(.*?)\":\"(.*?)\"\\},"
              + "\"time\":(\\d+),\"value\":(.*?)\\}");

  private final OpenTsdbLayout layout = OpenTsdbLayout.of(Map.of());
  private final TsdbTables tables = new TsdbTables(layout);
  private String page = "";

  @BeforeEach
  void read() throws IOException {
    page = Files.readString(Path.of("../docs/layouts/opentsdb.md"));
  }

  @AfterEach
  void close() {
    tables.close();
  }

  @Test
  void cellsOfThePageAreThoseOfItsPoints() {
    for (String line : block("points")) {
      Matcher point = POINT.matcher(line);
      assertThat(point.matches()).as(line).isTrue();
      String value = point.group(7);
      tables.write(
          layout,
          GroupKey.of(
              point.group(1),
              Tags.of(point.group(2), point.group(3), point.group(4), point.group(5))),
          Long.parseLong(point.group(6)),
          value.contains(".")
              ? new Value.Real(Double.parseDouble(value))
              : new Value.Int64(Long.parseLong(value)));
    }
    assertThat(tables.dump()).containsExactlyElementsOf(block("cells"));
  }

  @Test
  void pointsOfThePageAreThoseOfItsCells() {
    load("cells", "");
    assertThat(shown()).containsExactlyInAnyOrderElementsOf(block("points"));
  }

  @Test
  void compactedCellOfThePageHasTheSamePoints() {
    load("cells", "tsdb-uid");
    load("compacted", "");
    assertThat(shown()).containsExactlyInAnyOrderElementsOf(block("points").subList(0, 3));

    TsdbTables plain = new TsdbTables(layout);
    block("cells").stream().limit(3).forEach(line -> put(plain, line));
    CellBatch row = plain.cells(OpenTsdbLayout.DATA);
    MutationBatch out = new MutationBatch();
    layout.compact(row, 0, row.size(), HandMadeRow.BASE + 3_601_000, out);
    plain.apply(OpenTsdbLayout.DATA, out);
    assertThat(plain.dump()).isEqualTo(block("compacted"));
    plain.close();
  }

  @Test
  void namesEveryParameter() {
    assertThat(page)
        .contains(OpenTsdbParameters.LIST.stream().map(p -> "`" + p.name() + "`").toList());
  }

  private List<String> shown() {
    return tables.read(layout).stream()
        .map(found ->
            "{\"metric\":\"%s\",\"tags\":{\"dc\":\"%s\",\"host\":\"%s\"},\"time\":%d,\"value\":%s}"
                .formatted(
                    found.key().metric(),
                    found.key().tags().get("dc"),
                    found.key().tags().get("host"),
                    found.time(),
                    switch (found.value()) {
                      case Value.Int64(long v) -> Long.toString(v);
                      case Value.Real(double v) -> Double.toString(v);
                      case Value.Text t -> t.value();
                      case Value.Raw r -> r.value().hex();
                    }))
        .toList();
  }

  private void load(String block, String table) {
    block(block).stream().filter(line -> line.startsWith(table)).forEach(line -> put(tables, line));
  }

  private static void put(TsdbTables into, String line) {
    String[] cell = line.split(" ", -1);
    into.put(
        cell[0].equals("tsdb") ? OpenTsdbLayout.DATA : OpenTsdbLayout.UIDS,
        cell[1],
        cell[2],
        cell[3],
        cell[4]);
  }

  /** Returns the lines of the only fenced block with a name. */
  private List<String> block(String name) {
    Matcher block = Pattern.compile("```" + name + "\n(.*?)```", Pattern.DOTALL).matcher(page);
    assertThat(block.find()).as("block %s", name).isTrue();
    return block.group(1).lines().toList();
  }
}
