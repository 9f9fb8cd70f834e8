package dev.varve.engine.cells;

import dev.varve.engine.request.PointExplanation;
import dev.varve.layout.CellDescription;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyPart;
import dev.varve.layout.Layout;
import dev.varve.layout.LayoutParameter;
import dev.varve.layout.RefusedException;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.guardrail.Finding;
import dev.varve.layout.guardrail.Guardrails;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Batch;
import dev.varve.store.Cell;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The cells that a layout would write for some points, as {@code varve cells} prints them. Cell
 * times that a server would choose count from 1. Thread-safe.
 */
public final class CellPreview {
  /**
   * A layout that can be named.
   *
   * @param about a description in one line
   */
  public record NamedLayout(String name, String about, List<Parameter> parameters) {
    public NamedLayout {
      parameters = List.copyOf(parameters);
    }
  }

  /**
   * A parameter of a layout.
   *
   * @param byDefault the value if none is given; null if one must be given
   */
  public record Parameter(String name, @Nullable String byDefault, String about) {}

  /**
   * A part of a row key.
   *
   * @param label as in the descriptions of cells
   * @param role the information that it carries, in words
   */
  public record RowPart(String layout, String label, String role) {}

  /**
   * A finding of a guardrail in a layout.
   *
   * @param rule its id
   * @param severity {@code warn} or {@code refuse}
   */
  public record Guarded(String layout, String rule, String severity, String message) {}

  private final List<Guarded> findings = new ArrayList<>();
  private final List<RowPart> rows = new ArrayList<>();
  private final List<PointExplanation> cells = new ArrayList<>();

  private CellPreview() {}

  /** Returns all layouts that can be named, each once, the layout of blocks first. */
  public static List<NamedLayout> layouts() {
    return Layouts.listStored().stream()
        .map(entry ->
            new NamedLayout(
                entry.name(),
                entry.about(),
                entry.parameters().stream().map(CellPreview::parameter).toList()))
        .toList();
  }

  private static Parameter parameter(LayoutParameter parameter) {
    return new Parameter(parameter.name(), parameter.defaultValue(), parameter.about());
  }

  /**
   * Encodes points.
   *
   * @param nameOrYaml a name of {@link #layouts()}, or the text of a declaration
   * @param parameters values by name; missing ones take their defaults
   * @param complaints receives a line for each refused point
   * @throws IllegalArgumentException if there is no such layout, or the declaration or a parameter
   *     is invalid; the message lists all problems
   */
  public static CellPreview of(
      String nameOrYaml, Map<String, String> parameters, Batch batch, Consumer<String> complaints) {
    List<StorageLayout> layouts;
    try {
      layouts = Layouts.stored(nameOrYaml, parameters);
    } catch (RefusedException e) {
      throw new IllegalArgumentException(e.refusal().message(), e);
    }
    CellPreview preview = new CellPreview();
    for (StorageLayout layout : layouts) {
      if (layout instanceof BlockLayout blocks) {
        preview.addBlocks(blocks, batch, complaints);
      } else {
        preview.addCells((Layout) layout, batch, complaints);
      }
    }
    return preview;
  }

  private void addBlocks(BlockLayout layout, Batch batch, Consumer<String> complaints) {
    BlocksOfPoints blocks = new BlocksOfPoints(layout);
    blocks.add(batch, complaints);
    TableSpec table = layout.tables().get(BlockLayout.BLOCKS);
    blocks.forEachCell((cell, description) -> add(layout, table, cell, false, description));
  }

  private void addCells(Layout layout, Batch batch, Consumer<String> complaints) {
    for (Finding finding : Guardrails.declaration(layout, null)) {
      findings.add(
          new Guarded(
              layout.identity().name(),
              finding.rule().id(),
              finding.severity().name().toLowerCase(Locale.ROOT),
              finding.message()));
    }
    for (KeyPart part : layout.rows().parts()) {
      rows.add(new RowPart(layout.identity().name(), part.label(), words(part.role())));
    }
    try (ScratchTables tables = new ScratchTables(layout)) {
      tables.open();
      try (CellsOfPoints points = new CellsOfPoints(tables, complaints)) {
        points.write(batch);
      }
      for (int table = 0; table < layout.tables().size(); table++) {
        int index = table;
        tables.forEachCell(
            table,
            cell ->
                add(
                    layout,
                    layout.tables().get(index),
                    cell,
                    index != layout.dataTable(),
                    layout.describe(index, cell)));
      }
    } catch (DamagedCellException e) {
      throw new IllegalStateException("layout " + layout.identity().name(), e);
    }
  }

  private static String words(KeyPart.Role role) {
    return switch (role) {
      case LITERAL -> "the same in every row";
      case METRIC -> "the metric";
      case TAGS -> "one tag, or all tags";
      case RESOURCE -> "the resource";
      case SALT -> "computed from other parts, so that neighbours spread over the store";
      case TIME -> "the stretch of time that the row covers, or its instant";
      case SEQUENCE -> "the order among samples of one instant";
      case KIND -> "the kind of the values";
      case FIELD -> "the field";
    };
  }

  private void add(
      StorageLayout layout, TableSpec table, Cell cell, boolean index, CellDescription described) {
    cells.add(
        new PointExplanation(
            layout.identity().name(),
            table.name(),
            table.families().get(cell.family()).name(),
            cell.row(),
            cell.qualifier(),
            cell.time(),
            cell.value(),
            index,
            described));
  }

  /**
   * Returns the findings of the guardrails in the declarations, for a dataset without a retention.
   */
  public List<Guarded> findings() {
    return List.copyOf(findings);
  }

  /** Returns the parts of the row keys of samples; none for blocks. */
  public List<RowPart> rows() {
    return List.copyOf(rows);
  }

  /** Returns the cells, by layout, table and key. */
  public List<PointExplanation> cells() {
    return List.copyOf(cells);
  }
}
