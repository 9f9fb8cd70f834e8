package dev.varve.cli.cells;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.varve.cli.cells.CellForm.Located;
import dev.varve.cli.cells.CellForm.UnknownCellException;
import dev.varve.formats.json.JsonLines;
import dev.varve.layout.Layout;
import dev.varve.layout.registry.Layouts;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Fuzzes cells as lines of JSON. A printed cell must be read as the same cell, and a line that is
 * not a cell must be printed as one JSON value.
 */
public final class CellFormFuzz {
  private static final JsonFactory JSON = new JsonFactory();
  private static final List<Layout> LAYOUTS =
      Stream.of("heroic", "kairosdb", "opentsdb", "amended")
          .map(name -> Layouts.of(name, Map.of()))
          .toList();
  private static final CellForm FORM = new CellForm(LAYOUTS);

  private CellFormFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    TextLines.forEach(
        new ByteArrayInputStream(input), (number, line, fault) -> ensureSame(line, fault));
  }

  private static void ensureSame(String line, @Nullable String fault) {
    Located cell;
    try {
      cell = FORM.cell(CellForm.parse(line, fault));
    } catch (UnknownCellException e) {
      if (e.getMessage() == null || e.getMessage().isEmpty()) {
        throw new AssertionError("refused without a reason", e);
      }
      StringWriter shown = new StringWriter();
      JsonLines.write(shown, json -> CellForm.write(line, json));
      ensureOneValue(shown.toString());
      return;
    }
    StringWriter printed = new StringWriter();
    JsonLines.write(printed, json -> FORM.write(cell, json));
    Located again = FORM.cell(CellForm.parse(printed.toString(), null));
    StringWriter twice = new StringWriter();
    JsonLines.write(twice, json -> FORM.write(again, json));
    if (!twice.toString().contentEquals(printed.toString())) {
      throw new AssertionError("%s is printed as %s".formatted(line, printed));
    }
  }

  private static void ensureOneValue(String text) {
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), text.getBytes(UTF_8))) {
      json.nextToken();
      json.skipChildren();
      if (json.nextToken() != null || text.indexOf('\n') != text.length() - 1) {
        throw new AssertionError("printed as " + text);
      }
    }
  }
}
