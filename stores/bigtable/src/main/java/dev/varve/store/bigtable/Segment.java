package dev.varve.store.bigtable;

import dev.varve.model.Bytes;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.adapter.SliceSection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a slice that one request can read: rows with the same qualifier bounds. A slice
 * consists of up to three segments: the first row, whole rows, and the last row.
 *
 * @param slice the index of the slice in its plan
 * @param toRow the row at which the segment ends, exclusive; null for the end of the table
 * @param toQualifier the qualifier at which each row ends, exclusive; null for the end of the row
 * @param after the position in its only row after which the segment starts; null for the start of
 *     the row
 */
record Segment(
    int slice,
    Bytes fromRow,
    @Nullable Bytes toRow,
    Bytes fromQualifier,
    @Nullable Bytes toQualifier,
    @Nullable Position after) {

  private Segment(SliceSection section, @Nullable Position after) {
    this(
        section.slice(),
        section.fromRow(),
        section.endRow(),
        section.fromQualifier(),
        section.toQualifier(),
        after);
  }

  /** Returns the segments of a slice in the order of the plan. */
  static List<Segment> of(ReadPlan plan, int slice) {
    return SliceSection.of(plan, slice).stream()
        .map(section -> new Segment(section, null))
        .toList();
  }

  /** Returns the rest of the token's slice after the token's cell. */
  static List<Segment> after(ReadPlan plan, ResumeToken token) {
    return SliceSection.from(plan, token).stream()
        .map(section -> new Segment(section, after(section, token)))
        .toList();
  }

  private static @Nullable Position after(SliceSection section, ResumeToken token) {
    return section.fromRow().equals(token.row()) && section.isOneRow()
        ? new Position(token.family(), token.qualifier(), token.time(), token.versionsSeen())
        : null;
  }

  /** Returns the rest of a row of this segment. */
  Segment row(Bytes row, Position from) {
    return new Segment(slice, row, row.successor(), fromQualifier, toQualifier, from);
  }

  boolean isOneRow() {
    return SliceSection.isOneRow(fromRow, toRow);
  }
}
