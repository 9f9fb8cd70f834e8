package dev.varve.layout.kairosdb;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.RefusedException;
import dev.varve.layout.Step;
import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.FamilySelect;
import dev.varve.store.Limits;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The properties of a keyspace that KairosDB records since version 1.3, in table {@code spec} under
 * spec_type {@code cluster_config}:
 *
 * <pre>
 *   row_time_unit   LEGACY, MILLISECONDS or SECONDS
 *   row_width       the row width in decimal digits
 * </pre>
 *
 * In KairosDB the table overrides the configuration. If the unit is missing but the keyspace has
 * metric names, an earlier version wrote it, and its unit is LEGACY.
 */
final class KairosDbSpec {
  private static final String CLUSTER_CONFIG = "cluster_config";
  private static final String ROW_TIME_UNIT = "row_time_unit";
  private static final String ROW_WIDTH = "row_width";

  private static final Bytes ROW = Tuple.texts(CLUSTER_CONFIG);
  private static final List<FamilySelect> FAMILY = List.of(FamilySelect.latest(0));

  private final ColumnUnit unit;
  private final RowWidth width;

  KairosDbSpec(ColumnUnit unit, RowWidth width) {
    this.unit = unit;
    this.width = width;
  }

  /**
   * Compares the table with the parameters. The step returns the cells that the table lacks, or
   * throws {@link RefusedException} if the table contradicts the parameters.
   */
  Step<List<Step.TableCell>> opening() {
    return new Step.Look<>(
        List.of(
            new Step.TableRead(Tables.SPEC, ReadPlan.of(List.of(Slice.row(ROW, ROW)), FAMILY)),
            new Step.TableRead(
                Tables.STRING_INDEX,
                ReadPlan.of(List.of(Slice.row(Tables.METRIC_NAMES, Tables.METRIC_NAMES)), FAMILY)
                    .with(Limits.NONE.withCells(1)))),
        false,
        answers -> Step.done(missing(properties(answers.get(0)), !answers.get(1).isEmpty())));
  }

  /**
   * Rejects a property that contradicts the parameters, since samples would be misread.
   *
   * @throws DamagedCellException if the property contradicts the parameters
   */
  void check(IndexReader.Columns columns, String value) {
    if (!columns.text(Tables.SPEC_TYPE).equals(CLUSTER_CONFIG)) {
      return;
    }
    String own =
        switch (columns.text(Tables.SPEC_NAME)) {
          case ROW_TIME_UNIT -> unit.name();
          case ROW_WIDTH -> Long.toString(width.millis());
          default -> value;
        };
    if (!value.equals(own)) {
      throw new DamagedCellException(
          "value: %s is %s, but the layout's parameters say %s"
              .formatted(columns.text(Tables.SPEC_NAME), value, own));
    }
  }

  private static Map<String, String> properties(CellBatch cells) {
    Map<String, String> properties = new TreeMap<>();
    for (int i = 0; i < cells.size(); i++) {
      Cell cell = cells.cell(i);
      properties.put(IndexReader.spec(cell).text(Tables.SPEC_NAME), IndexReader.specValue(cell));
    }
    return properties;
  }

  private List<Step.TableCell> missing(Map<String, String> properties, boolean written) {
    List<Step.TableCell> missing = new ArrayList<>();
    String saidUnit = properties.get(ROW_TIME_UNIT);
    if (saidUnit == null) {
      if (written && unit != ColumnUnit.LEGACY) {
        throw new RefusedException(
            "kairosdb.spec",
            ("the keyspace has metrics but its table spec has no row_time_unit, so a version before"
                    + " 1.3 wrote it and its columns are shifted: unit should be legacy, but is %s")
                .formatted(unit.name().toLowerCase(Locale.ROOT)));
      }
      missing.add(cell(ROW_TIME_UNIT, unit.name()));
    } else if (!saidUnit.equals(unit.name())) {
      throw differs(ROW_TIME_UNIT, saidUnit, "unit", unit.name().toLowerCase(Locale.ROOT));
    }
    String saidWidth = properties.get(ROW_WIDTH);
    if (saidWidth == null) {
      missing.add(cell(ROW_WIDTH, Long.toString(width.millis())));
    } else if (!saidWidth.equals(Long.toString(width.millis()))) {
      throw differs(ROW_WIDTH, saidWidth, "rowWidth", Long.toString(width.millis()));
    }
    return missing;
  }

  private static Step.TableCell cell(String name, String value) {
    return new Step.TableCell(
        Tables.SPEC, new Cell(ROW, 0, Tuple.texts(name), 0, Bytes.utf8(value)));
  }

  private static RefusedException differs(
      String property, String said, String parameter, String given) {
    return new RefusedException(
        "kairosdb.spec",
        "the keyspace has %s %s according to its table spec: %s should be %s, but is %s"
            .formatted(property, said, parameter, said.toLowerCase(Locale.ROOT), given));
  }
}
