package dev.varve.store.hbase;

import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.Direction;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.Slice;
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
record Stretch(int slice, Bytes fromRow, @Nullable Bytes endRow, List<FamilySelect> families) {
  private static final QualifierRange ALL = new QualifierRange(Bytes.EMPTY, null);

  /** Returns the stretches of one slice of a plan, in reading order. */
  static List<Stretch> of(ReadPlan plan, int place) {
    Slice slice = plan.slices().get(place);
    List<Stretch> stretches = new ArrayList<>();
    Bytes from = slice.fromRow();
    Bytes end = slice.endRow();
    @Nullable Bytes toRow = slice.toRow();
    if (toRow != null && toRow.equals(from)) {
      addRow(stretches, plan, place, from, slice.fromQualifier(), slice.toQualifier());
      return stretches;
    }
    if (!slice.fromQualifier().isEmpty() && !from.isEmpty()) {
      if (end == null || from.compareTo(end) < 0) {
        addRow(stretches, plan, place, from, slice.fromQualifier(), null);
      }
      from = from.successor();
    }
    boolean partOfLast =
        toRow != null
            && !slice.toQualifier().isEmpty()
            && toRow.compareTo(from) >= 0
            && toRow.startsWith(slice.partition());
    Bytes middleEnd = partOfLast ? toRow : end;
    if (middleEnd == null || from.compareTo(middleEnd) < 0) {
      stretches.add(new Stretch(place, from, middleEnd, plan.families()));
    }
    if (toRow != null && partOfLast && !toRow.isEmpty()) {
      addRow(stretches, plan, place, toRow, Bytes.EMPTY, slice.toQualifier());
    }
    return plan.direction() == Direction.FORWARD ? stretches : stretches.reversed();
  }

  /** Returns the rest of a slice after the last delivered cell, including the rest of its row. */
  static List<Stretch> behind(ReadPlan plan, ResumeToken token, TableEntry table) {
    List<Stretch> left = new ArrayList<>();
    boolean passed = false;
    for (Stretch stretch : of(plan, token.slice())) {
      if (passed) {
        left.add(stretch);
      } else if (stretch.holds(token.row())) {
        passed = true;
        stretch.addRestOfRow(left, token, table);
        stretch.addRowsBehind(left, token.row(), plan.direction());
      } else {
        passed = stretch.isBehind(token.row(), plan.direction());
        if (passed) {
          left.add(stretch);
        }
      }
    }
    return left;
  }

  private boolean holds(Bytes row) {
    return row.compareTo(fromRow) >= 0 && (endRow == null || row.compareTo(endRow) < 0);
  }

  /** Returns whether the stretch, which must not contain the row, is read after it. */
  private boolean isBehind(Bytes row, Direction direction) {
    return (row.compareTo(fromRow) < 0) == (direction == Direction.FORWARD);
  }

  private void addRestOfRow(List<Stretch> left, ResumeToken token, TableEntry table) {
    Bytes row = token.row();
    for (int i = 0; i < families.size(); i++) {
      FamilySelect select = families.get(i);
      if (select.family() == token.family()) {
        if (Math.min(select.versions(), table.maxVersions(token.family())) > 1) {
          Bytes behind = token.qualifier().successor();
          within(select, token.qualifier(), behind)
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

  private void addRowsBehind(List<Stretch> left, Bytes row, Direction direction) {
    boolean forward = direction == Direction.FORWARD;
    Bytes from = forward ? row.successor() : fromRow;
    Bytes end = forward ? endRow : row;
    if (end == null || from.compareTo(end) < 0) {
      left.add(new Stretch(slice, from, end, families));
    }
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
    return endRow != null && !fromRow.isEmpty() && endRow.equals(fromRow.successor());
  }

  private static Stretch row(int slice, Bytes row, List<FamilySelect> families) {
    return new Stretch(slice, row, row.successor(), families);
  }

  private static void addRow(
      List<Stretch> stretches,
      ReadPlan plan,
      int slice,
      Bytes row,
      Bytes fromQualifier,
      @Nullable Bytes toQualifier) {
    List<FamilySelect> families =
        plan.families().stream()
            .map(select -> within(select, fromQualifier, toQualifier))
            .flatMap(Optional::stream)
            .toList();
    if (!families.isEmpty() && !row.isEmpty()) {
      stretches.add(row(slice, row, families));
    }
  }

  /** Returns the part of a family's columns between two qualifiers, if there is any. */
  private static Optional<FamilySelect> within(
      FamilySelect select, Bytes from, @Nullable Bytes to) {
    List<QualifierRange> ranges = new ArrayList<>();
    for (QualifierRange range :
        select.qualifiers().isEmpty() ? List.of(ALL) : select.qualifiers()) {
      Bytes first = range.from().compareTo(from) < 0 ? from : range.from();
      Bytes end = earlier(range.to(), to);
      if (end == null || first.compareTo(end) < 0) {
        ranges.add(new QualifierRange(first, end));
      }
    }
    return ranges.isEmpty()
        ? Optional.empty()
        : Optional.of(new FamilySelect(select.family(), ranges, select.times(), select.versions()));
  }

  private static @Nullable Bytes earlier(@Nullable Bytes a, @Nullable Bytes b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return a.compareTo(b) < 0 ? a : b;
  }
}
