package dev.varve.store.adapter;

import dev.varve.model.Bytes;
import dev.varve.store.Direction;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.Slice;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a slice with the same qualifier bounds, for stores whose requests select the same columns
 * in all rows. A slice consists of up to three sections: the rest of its first row, whole rows, and
 * the beginning of its last row.
 *
 * @param slice the index of the slice in its plan
 * @param endRow the end of the rows, exclusive; null for the end of the table
 * @param toQualifier the end within each row, exclusive; null for the end of the row
 */
public record SliceSection(
    int slice,
    Bytes fromRow,
    @Nullable Bytes endRow,
    Bytes fromQualifier,
    @Nullable Bytes toQualifier) {

  /** Returns the sections of one slice of a plan, in reading order. */
  public static List<SliceSection> of(ReadPlan plan, int slice) {
    List<SliceSection> sections = ascending(slice, plan.slices().get(slice));
    return plan.direction() == Direction.FORWARD ? sections : sections.reversed();
  }

  private static List<SliceSection> ascending(int index, Slice slice) {
    List<SliceSection> sections = new ArrayList<>(3);
    Bytes from = slice.fromRow();
    Bytes to = slice.toRow();
    if (to != null && from.compareTo(to) >= 0) {
      if (from.equals(to) && slice.fromQualifier().compareTo(slice.toQualifier()) < 0) {
        addRow(sections, index, from, slice.fromQualifier(), slice.toQualifier());
      }
      return sections;
    }
    if (!slice.fromQualifier().isEmpty()) {
      addRow(sections, index, from, slice.fromQualifier(), null);
      from = from.successor();
    }
    Bytes end = earlier(to, slice.partition().prefixEnd());
    if (end == null || from.compareTo(end) < 0) {
      sections.add(new SliceSection(index, from, end, Bytes.EMPTY, null));
    }
    if (to != null && !slice.toQualifier().isEmpty() && to.startsWith(slice.partition())) {
      addRow(sections, index, to, Bytes.EMPTY, slice.toQualifier());
    }
    return sections;
  }

  /** Adds a section of one row, unless the row key is empty, which no row has. */
  private static void addRow(
      List<SliceSection> sections, int slice, Bytes row, Bytes from, @Nullable Bytes to) {
    if (!row.isEmpty()) {
      sections.add(new SliceSection(slice, row, row.successor(), from, to));
    }
  }

  private static @Nullable Bytes earlier(@Nullable Bytes a, @Nullable Bytes b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return a.compareTo(b) <= 0 ? a : b;
  }

  /**
   * Returns the sections of the token's slice that are left. If the token's row is in the slice, it
   * is the first section, with all its columns: the caller skips those before the token.
   */
  public static List<SliceSection> from(ReadPlan plan, ResumeToken token) {
    List<SliceSection> left = new ArrayList<>();
    boolean forward = plan.direction() == Direction.FORWARD;
    for (SliceSection section : of(plan, token.slice())) {
      Bytes end = section.endRow();
      boolean starts = section.fromRow().compareTo(token.row()) <= 0;
      boolean ends = end != null && end.compareTo(token.row()) <= 0;
      if (starts && !ends) {
        left.add(section.row(token.row()));
        SliceSection rest =
            forward
                ? section.rows(token.row().successor(), end)
                : section.rows(section.fromRow(), token.row());
        if (!rest.isEmpty()) {
          left.add(rest);
        }
      } else if (forward ? !starts : ends) {
        left.add(section);
      }
    }
    return left;
  }

  /** Returns one row of this section. */
  public SliceSection row(Bytes row) {
    return rows(row, row.successor());
  }

  private SliceSection rows(Bytes from, @Nullable Bytes end) {
    return new SliceSection(slice, from, end, fromQualifier, toQualifier);
  }

  private boolean isEmpty() {
    return endRow != null && fromRow.compareTo(endRow) >= 0;
  }

  /** Returns whether the section can contain only one row. */
  public boolean isOneRow() {
    return isOneRow(fromRow, endRow);
  }

  /** Returns whether a range can contain only one row. */
  public static boolean isOneRow(Bytes fromRow, @Nullable Bytes endRow) {
    return endRow != null
        && !fromRow.isEmpty()
        && endRow.length() == fromRow.length() + 1
        && endRow.equals(fromRow.successor());
  }
}
