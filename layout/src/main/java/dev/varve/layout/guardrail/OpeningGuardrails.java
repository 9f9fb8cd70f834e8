package dev.varve.layout.guardrail;

import dev.varve.layout.KeyPart;
import dev.varve.layout.Layout;
import dev.varve.layout.RowShape;
import dev.varve.layout.declared.DeclaredLayout;
import dev.varve.model.TimeRange;
import dev.varve.store.Capabilities;
import dev.varve.store.Capabilities.CellTimes;
import dev.varve.store.Capabilities.RowOrder;
import dev.varve.store.FamilySpec;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks a layout against a store. */
final class OpeningGuardrails {
  private final Layout layout;
  private final String storeKind;
  private final List<Capabilities> tables;
  private final @Nullable Duration retention;
  private final List<Finding> findings = new ArrayList<>();

  OpeningGuardrails(
      Layout layout, String storeKind, List<Capabilities> tables, @Nullable Duration retention) {
    this.layout = layout;
    this.storeKind = storeKind;
    this.tables = tables;
    this.retention = retention;
  }

  List<Finding> findings() {
    for (int i = 0; i < tables.size(); i++) {
      table(layout.tables().get(i), tables.get(i));
    }
    partitions();
    findings.sort((a, b) -> a.rule().compareTo(b.rule()));
    return findings;
  }

  private void find(Rule rule, String message) {
    findings.add(new Finding(rule, message));
  }

  private void table(TableSpec table, Capabilities capabilities) {
    int families = capabilities.limits().families();
    if (table.families().size() > families) {
      find(
          Rule.FAMILY_COUNT,
          "table %s has %d families, %s works well with at most %d: combine fields"
              .formatted(table.name(), table.families().size(), storeKind, families));
    }
    if (layout instanceof DeclaredLayout
        && capabilities.limits().rowKey() < DeclaredLayout.ROW_KEY_MAX) {
      find(
          Rule.ROW_KEY_LIMIT,
          "row keys may reach %d bytes, but %s accepts %d; series with longer keys are refused"
              .formatted(DeclaredLayout.ROW_KEY_MAX, storeKind, capabilities.limits().rowKey()));
    }
    List<String> data =
        table.families().stream()
            .filter(family -> family.time() == TimeUse.DATA)
            .map(FamilySpec::name)
            .toList();
    if (!data.isEmpty()) {
      cellTimes(table, capabilities, data);
    }
  }

  private void cellTimes(TableSpec table, Capabilities capabilities, List<String> families) {
    CellTimes kept = capabilities.cellTimes();
    if (kept == null || kept.granularity() > 1) {
      find(
          Rule.CELL_TIME,
          kept == null
              ? "%s keeps no cell times as data, and in table %s those of %s are the times of samples: take a layout that has them in the row key or qualifier"
                  .formatted(storeKind, table.name(), families)
              : "%s keeps cell times of table %s as multiples of %d %s, and those of %s are as fine as 1: take a coarser resolution, or a layout with times in the qualifier"
                  .formatted(
                      storeKind,
                      table.name(),
                      kept.granularity(),
                      table.timeUnit().symbol(),
                      families));
      return;
    }
    TimeRange samples = layout.domain().times();
    if (kept.min() > samples.from() || kept.max() < samples.to() - 1) {
      find(
          Rule.CELL_TIME_RANGE,
          "%s keeps cell times from %d to %d %s: samples outside are refused"
              .formatted(storeKind, kept.min(), kept.max(), table.timeUnit().symbol()));
    }
    if (capabilities.deletes() == Capabilities.Deletes.MASK_OLDER) {
      find(
          Rule.DELETE_MASKS,
          "a delete on %s hides what is written later at an older cell time, and the cell times of %s are those of samples: writes into a deleted range wait until the delete has been applied"
              .formatted(storeKind, families));
    }
  }

  private void partitions() {
    RowShape rows = layout.rows();
    boolean timed =
        rows.parts().subList(0, rows.partitionParts()).stream()
            .anyMatch(
                part -> part.role() == KeyPart.Role.TIME || part.role() == KeyPart.Role.SEQUENCE);
    boolean bounded =
        timed
            || retention != null
            || (layout instanceof DeclaredLayout declared
                && declared.declaration().retention() != null);
    if (tables.get(layout.dataTable()).order() == RowOrder.PARTITION && !bounded) {
      find(
          Rule.UNBOUNDED_PARTITION,
          "the partition is the first %d parts of the key, none of them time, and there is no retention: on %s it grows for ever; extend it to the bucket"
              .formatted(rows.partitionParts(), storeKind));
    }
  }
}
