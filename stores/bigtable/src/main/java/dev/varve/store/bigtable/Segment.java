package dev.varve.store.bigtable;

import dev.varve.model.Bytes;
import dev.varve.store.Direction;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.Slice;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a slice that one request can read: rows with the same qualifier bounds. A slice
 * consists of up to three segments: the first row, whole rows, and the last row.
 *
 * @param slice the index of the slice in its plan
 * @param toRow the row at which the segment ends, exclusive; null for the end of the table
 * @param toQualifier the qualifier at which each row ends, exclusive; null for the end of the row
 * @param behind the position in its only row after which the segment starts; null for the start of
 *     the row
 */
record Segment(
    int slice,
    Bytes fromRow,
    @Nullable Bytes toRow,
    Bytes fromQualifier,
    @Nullable Bytes toQualifier,
    @Nullable Position behind) {

  /** Returns the segments of a slice in the order of the plan. */
  static List<Segment> of(ReadPlan plan, int slice) {
    List<Segment> segments = rising(slice, plan.slices().get(slice));
    return plan.direction() == Direction.FORWARD ? segments : segments.reversed();
  }

  private static List<Segment> rising(int index, Slice slice) {
    Bytes toRow = slice.toRow();
    Bytes partitionEnd = slice.partition().prefixEnd();
    Bytes wholeFrom = slice.fromRow();
    List<Segment> segments = new ArrayList<>();
    if (toRow != null && slice.fromRow().compareTo(toRow) > 0) {
      return segments;
    }
    if (toRow != null && slice.fromRow().equals(toRow)) {
      if (slice.fromQualifier().compareTo(slice.toQualifier()) < 0) {
        segments.add(oneRow(index, toRow, slice.fromQualifier(), slice.toQualifier()));
      }
      return segments;
    }
    if (!slice.fromQualifier().isEmpty()) {
      segments.add(oneRow(index, wholeFrom, slice.fromQualifier(), null));
      wholeFrom = wholeFrom.successor();
    }
    Bytes wholeTo = earlier(toRow, partitionEnd);
    if (wholeTo == null || wholeFrom.compareTo(wholeTo) < 0) {
      segments.add(new Segment(index, wholeFrom, wholeTo, Bytes.EMPTY, null, null));
    }
    if (toRow != null && !slice.toQualifier().isEmpty() && toRow.startsWith(slice.partition())) {
      segments.add(oneRow(index, toRow, Bytes.EMPTY, slice.toQualifier()));
    }
    return segments;
  }

  private static Segment oneRow(int slice, Bytes row, Bytes from, @Nullable Bytes to) {
    return new Segment(slice, row, row.successor(), from, to, null);
  }

  private static @Nullable Bytes earlier(@Nullable Bytes a, @Nullable Bytes b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return a.compareTo(b) <= 0 ? a : b;
  }

  /** Returns the rest of the token's slice after the token's cell. */
  static List<Segment> behind(ReadPlan plan, ResumeToken token) {
    List<Segment> left = new ArrayList<>();
    boolean forward = plan.direction() == Direction.FORWARD;
    for (Segment segment : of(plan, token.slice())) {
      boolean startsBehind = segment.fromRow().compareTo(token.row()) > 0;
      boolean endsBefore = segment.toRow() != null && segment.toRow().compareTo(token.row()) <= 0;
      if (forward ? startsBehind : endsBefore) {
        left.add(segment);
      } else if (!startsBehind && !endsBefore) {
        left.add(segment.restOfRow(token));
        Segment rows =
            forward
                ? segment.rows(token.row().successor(), segment.toRow())
                : segment.rows(segment.fromRow(), token.row());
        if (!rows.isEmpty()) {
          left.add(rows);
        }
      }
    }
    return left;
  }

  private Segment restOfRow(ResumeToken token) {
    return new Segment(
        slice,
        token.row(),
        token.row().successor(),
        fromQualifier,
        toQualifier,
        new Position(token.family(), token.qualifier(), token.time(), token.versionsSeen()));
  }

  private Segment rows(Bytes from, @Nullable Bytes to) {
    return new Segment(slice, from, to, fromQualifier, toQualifier, null);
  }

  /** Returns the rest of a row of this segment. */
  Segment row(Bytes row, Position from) {
    return new Segment(slice, row, row.successor(), fromQualifier, toQualifier, from);
  }

  private boolean isEmpty() {
    return toRow != null && fromRow.compareTo(toRow) >= 0;
  }

  boolean isOneRow() {
    return toRow != null
        && toRow.length() == fromRow.length() + 1
        && toRow.equals(fromRow.successor());
  }
}
