package dev.varve.store.hbase;

import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.adapter.SliceSection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Rows with the same selection: one scan. A slice consists of up to three stretches, since its
 * first and its last row may be read in part.
 *
 * @param slice the index of the slice in the plan
 * @param fromRow the first row
 * @param endRow the end, exclusive; null for the end of the table
 * @param families the selection in each row
 */
record ScanRange(int slice, Bytes fromRow, @Nullable Bytes endRow, List<FamilySelect> families) {
  private ScanRange(SliceSection section, List<FamilySelect> families) {
    this(section.slice(), section.fromRow(), section.endRow(), families);
  }

  /** Returns the stretches of one slice of a plan, in reading order. */
  static List<ScanRange> of(ReadPlan plan, int place) {
    return SliceSection.of(plan, place).stream()
        .map(section -> new ScanRange(section, families(plan, section)))
        .filter(stretch -> !stretch.families.isEmpty())
        .toList();
  }

  /** Returns the rest of a slice after the last delivered cell, including the rest of its row. */
  static List<ScanRange> after(ReadPlan plan, ResumeToken token, TableEntry table) {
    List<ScanRange> left = new ArrayList<>();
    for (SliceSection section : SliceSection.from(plan, token)) {
      ScanRange stretch = new ScanRange(section, families(plan, section));
      if (section.isOneRow() && section.fromRow().equals(token.row())) {
        stretch.addRestOfRow(left, token, table);
      } else if (!stretch.families.isEmpty()) {
        left.add(stretch);
      }
    }
    return left;
  }

  private static List<FamilySelect> families(ReadPlan plan, SliceSection section) {
    Bytes from = section.fromQualifier();
    Bytes to = section.toQualifier();
    return from.isEmpty() && to == null
        ? plan.families()
        : plan.families().stream()
            .map(select -> within(select, from, to))
            .flatMap(Optional::stream)
            .toList();
  }

  private void addRestOfRow(List<ScanRange> left, ResumeToken token, TableEntry table) {
    Bytes row = token.row();
    for (int i = 0; i < families.size(); i++) {
      FamilySelect select = families.get(i);
      if (select.family() == token.family()) {
        if (Math.min(select.versions(), table.maxVersions(token.family())) > 1) {
          Bytes after = token.qualifier().successor();
          within(select, token.qualifier(), after)
              .map(column ->
                  table.maxVersions(token.family()) == FamilySpec.ALL_VERSIONS
                      ? older(column, token)
                      : column)
              .ifPresent(column -> left.add(row(slice, row, List.of(column))));
        }
        within(select, token.qualifier().successor(), null)
            .ifPresent(rest -> left.add(row(slice, row, List.of(rest))));
      } else if (select.family() > token.family()) {
        left.add(row(slice, row, families.subList(i, families.size())));
        return;
      }
    }
  }

  private static FamilySelect older(FamilySelect column, ResumeToken token) {
    TimeRange times = column.times();
    long to = Math.clamp(token.time(), times.from(), times.to());
    return new FamilySelect(
        column.family(), column.qualifiers(), new TimeRange(times.from(), to), column.versions());
  }

  /** Returns the selection of a family; null if nothing of it is read. */
  @Nullable FamilySelect select(int family) {
    for (FamilySelect select : families) {
      if (select.family() == family) {
        return select;
      }
    }
    return null;
  }

  boolean isOneRow() {
    return SliceSection.isOneRow(fromRow, endRow);
  }

  private static ScanRange row(int slice, Bytes row, List<FamilySelect> families) {
    return new ScanRange(slice, row, row.successor(), families);
  }

  /** Returns the part of a family's columns between two qualifiers, if there is any. */
  private static Optional<FamilySelect> within(
      FamilySelect select, Bytes from, @Nullable Bytes to) {
    List<QualifierRange> ranges = QualifierRange.clip(select.qualifiers(), from, to);
    return ranges.isEmpty()
        ? Optional.empty()
        : Optional.of(new FamilySelect(select.family(), ranges, select.times(), select.versions()));
  }
}
