package dev.varve.store.cassandra;

import dev.varve.model.Bytes;
import dev.varve.store.FamilySelect;
import dev.varve.store.QualifierRange;
import dev.varve.store.ResumeToken;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides for each cell whether a plan reads it, where Cassandra cannot filter: by versions, cell
 * times, and qualifiers if a slice has several rows.
 */
final class ColumnTrim {
  private final FamilySelect select;
  private final int versionsKept;
  private final @Nullable ResumeToken resume;

  /** The ranges of qualifiers to read; all if there are none. */
  private final List<Range> ranges;

  /**
   * A range of qualifiers.
   *
   * @param to the first after it; null if it has no end
   */
  private record Range(ByteBuffer from, @Nullable ByteBuffer to) {
    static Range of(QualifierRange range) {
      Bytes to = range.to();
      return new Range(Buffers.of(range.from()), to == null ? null : Buffers.of(to));
    }

    boolean contains(ByteBuffer qualifier) {
      return Buffers.compare(qualifier, from) >= 0
          && (to == null || Buffers.compare(qualifier, to) < 0);
    }
  }

  /** The current column; null before the first of a row. */
  private @Nullable ByteBuffer column;

  /** Cells of the column read so far. */
  private int version;

  /** Cells of the column delivered so far. */
  private int delivered;

  private boolean resumed;

  /**
   * Creates a trim.
   *
   * @param resume where an earlier read stopped, if in this family; its row must be the first
   */
  ColumnTrim(FamilySelect select, int versionsKept, @Nullable ResumeToken resume) {
    this.select = select;
    this.versionsKept = versionsKept;
    this.resume = resume;
    this.resumed = resume != null;
    this.ranges = select.qualifiers().stream().map(Range::of).toList();
  }

  /**
   * Starts a row.
   *
   * @param resumedRow whether an earlier read stopped in it
   */
  void startRow(boolean resumedRow) {
    column = null;
    resumed = resume != null && resumedRow;
  }

  /** Returns whether the plan reads a cell. Cells must be passed in order. */
  boolean takes(ByteBuffer qualifier, long time) {
    if (!qualifier.equals(column)) {
      column = qualifier;
      version = 0;
      delivered = 0;
      if (resumed && resume != null) {
        resumed = resume.qualifier().equals(Buffers.bytes(qualifier));
        delivered = resumed ? resume.versionsSeen() : 0;
      }
    }
    version++;
    return version <= versionsKept
        && !(resumed && resume != null && time >= resume.time())
        && delivered < select.versions()
        && select.times().contains(time)
        && isIn(qualifier);
  }

  /** Counts a cell as delivered; returns its number within its column. */
  int deliver() {
    return ++delivered;
  }

  private boolean isIn(ByteBuffer qualifier) {
    if (ranges.isEmpty()) {
      return true;
    }
    // Called for each cell of wide rows: no stream.
    for (Range range : ranges) {
      if (range.contains(qualifier)) {
        return true;
      }
    }
    return false;
  }
}
