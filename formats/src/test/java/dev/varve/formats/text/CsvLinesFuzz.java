package dev.varve.formats.text;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.varve.formats.text.CsvLines.Columns;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Column;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Fuzzes CSV, with its own header line or after a fixed one; every second input uses a time
 * pattern. Quoted text must be read unchanged.
 */
public final class CsvLinesFuzz {
  private static final String NAMES = "metric,time,host,a,b,c\n";

  private CsvLinesFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) {
    DateTimeFormatter pattern =
        input.length % 2 == 0 ? null : DateTimeFormatter.ofPattern("dd.MM.uuuu[ HH:mm[xxx]]");
    try {
      LinesFuzz.read(lines(pattern), input);
    } catch (IllegalArgumentException e) {
      // The header line does not name the required columns.
      if (e.getMessage() == null || e.getMessage().isEmpty()) {
        throw new AssertionError("refused without a reason", e);
      }
    }
    String text = new String(input, UTF_8);
    LinesFuzz.read(lines(pattern), (NAMES + text).getBytes(UTF_8));
    ensureQuoted(text.replace("\n", ""));
  }

  private static CsvLines lines(@Nullable DateTimeFormatter pattern) {
    return new CsvLines(
        new Columns(
            null,
            "metric",
            "time",
            Resolution.SECONDS,
            pattern,
            List.of("host"),
            Map.of("site", "here"),
            Map.of("a", Kind.DOUBLE, "b", Kind.INT64, "c", Kind.STRING)),
        Resolution.MILLISECONDS);
  }

  private static void ensureQuoted(String text) {
    if (text.isEmpty()) {
      return;
    }
    BatchBuilder batch = new BatchBuilder();
    CsvLines lines = lines(null);
    for (String line :
        List.of(NAMES.strip(), "m,0,h,,,\"%s\"".formatted(text.replace("\"", "\"\"")))) {
      byte[] bytes = line.getBytes(UTF_8);
      lines.read(bytes, 0, bytes.length, batch);
    }
    if (!(batch.build().groups().getFirst().columns().getFirst() instanceof Column.Texts texts)
        || !text.equals(
            new String(texts.bytes(), texts.start(0), texts.end(0) - texts.start(0), UTF_8))) {
      throw new AssertionError("read as another text: " + text);
    }
  }
}
