package dev.varve.layout.opentsdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.CellDescription;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.store.CellBatch;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Encodes and decodes points and cells recorded from a real OpenTSDB. */
class OriginalCellsTest {
  /** Like the original, the test distinguishes seconds from milliseconds by size. */
  private static final long LAST_SECOND = 0xffff_ffffL;

  enum Variant {
    RAW("raw", 0),
    SALTED("salted", 1);

    private final String label;
    private final int saltWidth;

    Variant(String label, int saltWidth) {
      this.label = label;
      this.saltWidth = saltWidth;
    }

    private OpenTsdbLayout layout(String time, String floats) {
      return OpenTsdbLayout.of(
          Map.of("saltWidth", "" + saltWidth, "saltBuckets", "20", "time", time, "float", floats));
    }
  }

  private record Point(GroupKey key, long time, boolean millis, boolean telnet, Value value) {
    static Point of(String[] fields) {
      Map<String, String> tags = new TreeMap<>();
      for (String pair : fields[4].split(",", 0)) {
        int equals = pair.indexOf('=');
        if (equals > 0) {
          tags.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
      }
      long sent = Long.parseLong(fields[5]);
      boolean millis = sent > LAST_SECOND;
      Value value =
          fields[6].matches("[+-]?[0-9]+")
              ? new Value.Int64(Long.parseLong(fields[6]))
              : new Value.Real(Double.parseDouble(fields[6]));
      return new Point(
          GroupKey.of(fields[3], Tags.of(tags)),
          millis ? sent : 1000 * sent,
          millis,
          fields[2].equals("telnet"),
          value);
    }
  }

  private TsdbTables tables = new TsdbTables(OpenTsdbLayout.of(Map.of()));

  @AfterEach
  void close() {
    tables.close();
  }

  @ParameterizedTest
  @EnumSource
  void writesWhatTheOriginalWrote(Variant variant) {
    open(variant);
    for (Point point : points("accepted", variant)) {
      write(variant, point);
    }

    assertThat(tables.dump()).containsExactlyElementsOf(cells(variant).sorted().toList());
    assertThat(tables.refusals).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void readsWhatTheOriginalWasGiven(Variant variant) {
    open(variant);
    load(variant);

    Map<String, Value> given = new TreeMap<>();
    for (Point point : points("accepted", variant)) {
      given.put(point.key() + " " + point.time(), point.value());
    }
    assertThat(tables.newest(variant.layout("auto", "8"))).isEqualTo(given);
    assertThat(tables.damages).isEmpty();
  }

  @Test
  void refusesWhatTheOriginalRefused() {
    open(Variant.RAW);
    List<Point> refused = points("refused", Variant.RAW);
    assertThat(refused).hasSize(9);
    for (Point point : refused) {
      write(Variant.RAW, point);
    }

    assertThat(tables.refusals)
        .extracting("rule")
        .containsExactly(
            "opentsdb.tags",
            "opentsdb.tags",
            "opentsdb.metric",
            "opentsdb.tags",
            "opentsdb.tags",
            "opentsdb.metric",
            "opentsdb.time",
            "opentsdb.time",
            "opentsdb.time");
  }

  @ParameterizedTest
  @EnumSource
  void describesEveryByteOfEveryCell(Variant variant) {
    open(variant);
    load(variant);
    OpenTsdbLayout layout = variant.layout("auto", "8");
    for (int table = 0; table < layout.tables().size(); table++) {
      CellBatch cells = tables.cells(table);
      for (int i = 0; i < cells.size(); i++) {
        CellDescription described = layout.describe(table, cells.cell(i));
        assertThat(covered(described, "row")).isEqualTo(cells.rowLength(i));
        assertThat(covered(described, "qualifier")).isEqualTo(cells.qualifierLength(i));
        assertThat(covered(described, "value")).isEqualTo(cells.valueLength(i));
      }
    }
  }

  /** Returns where the parts of a coordinate end and checks that they have no gaps. */
  static int covered(CellDescription described, String coordinate) {
    int end = 0;
    for (CellDescription.Part part : described.parts()) {
      if (part.coordinate().equals(coordinate)) {
        assertThat(part.from()).isEqualTo(end);
        end = part.to();
      }
    }
    return end;
  }

  private void open(Variant variant) {
    tables.close();
    tables = new TsdbTables(variant.layout("auto", "8"));
  }

  private void write(Variant variant, Point point) {
    OpenTsdbLayout layout =
        variant.layout(point.millis() ? "milliseconds" : "seconds", point.telnet() ? "4" : "8");
    tables.write(layout, point.key(), point.time(), point.value());
  }

  private void load(Variant variant) {
    cells(variant)
        .map(cell -> cell.split(" ", -1))
        .forEach(cell ->
            tables.put(
                cell[0].equals("tsdb") ? OpenTsdbLayout.DATA : OpenTsdbLayout.UIDS,
                cell[1],
                cell[2],
                cell[3],
                cell[4]));
  }

  private static List<Point> points(String kind, Variant variant) {
    return lines(kind, variant).map(Point::of).toList();
  }

  private static Stream<String> cells(Variant variant) {
    return lines("cell", variant)
        .map(fields -> String.join(" ", List.of(fields).subList(2, fields.length)));
  }

  private static Stream<String[]> lines(String kind, Variant variant) {
    try (InputStream in =
        Objects.requireNonNull(OriginalCellsTest.class.getResourceAsStream("opentsdb-cells.tsv"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(line -> line.split("\t", -1))
          .filter(fields -> fields[0].equals(kind) && fields[1].equals(variant.label));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
