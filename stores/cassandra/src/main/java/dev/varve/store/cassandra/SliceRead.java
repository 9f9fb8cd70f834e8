package dev.varve.store.cassandra;

import dev.varve.model.Bytes;
import dev.varve.store.Direction;
import dev.varve.store.FamilySelect;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.Slice;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A slice being read: the runs of each family, merged row by row. */
final class SliceRead {
  private final int index;
  private final PartitionRange stretch;
  private final boolean reverse;
  private final List<Runs> runs = new ArrayList<>();
  private final List<@Nullable ByteBuffer> keys = new ArrayList<>();

  /**
   * Sends the first requests.
   *
   * @param sources one per family of the plan
   * @param resume where an earlier read stopped in this slice; null if none did
   */
  SliceRead(
      int index,
      PartitionRange stretch,
      ReadPlan plan,
      List<RowSource> sources,
      @Nullable ResumeToken resume) {
    this.index = index;
    this.stretch = stretch;
    Slice slice = plan.slices().get(index);
    this.reverse = plan.direction() == Direction.REVERSE && !slice.isOneRow();
    for (int i = 0; i < sources.size(); i++) {
      FamilySelect select = plan.families().get(i);
      RowSource source = sources.get(i);
      Position rest = resume == null ? null : after(resume, select, source);
      if (reverse) {
        runs.add(backwards(source, rest, resume));
      } else {
        PartitionRange left = rest == null ? stretch : stretch.since(rest);
        runs.add(new ForwardRuns(source, pieces(left, select, slice)));
      }
      keys.add(null);
    }
  }

  /** Returns where a family continues: within the row in which a read stopped, or after it. */
  private Position after(ResumeToken resume, FamilySelect select, RowSource source) {
    Bytes key = resume.row().slice(stretch.partition().length(), resume.row().length());
    if (select.family() < resume.family()) {
      return Position.after(key);
    }
    if (select.family() > resume.family()) {
      return Position.startOf(key);
    }
    // Newer versions of the column may be needed to count the older ones.
    return new Position(
        key,
        source.table() instanceof VersionsTable
            ? resume.qualifier()
            : resume.qualifier().successor());
  }

  private ReverseRuns backwards(
      RowSource source, @Nullable Position rest, @Nullable ResumeToken resume) {
    if (rest == null || resume == null) {
      return new ReverseRuns(source, stretch, null);
    }
    Bytes key = resume.row().slice(stretch.partition().length(), resume.row().length());
    return new ReverseRuns(
        source, stretch.before(Position.startOf(key)), stretch.ofRow(key).since(rest));
  }

  /**
   * Splits a stretch of one row into one request per range of qualifiers; leaves other stretches
   * whole.
   */
  private static List<PartitionRange> pieces(
      PartitionRange left, FamilySelect select, Slice slice) {
    if (!slice.isOneRow() || select.qualifiers().isEmpty()) {
      return List.of(left);
    }
    List<PartitionRange> pieces = new ArrayList<>();
    for (QualifierRange range : select.qualifiers()) {
      Bytes key = left.from().key();
      PartitionRange piece = left.since(new Position(key, range.from()));
      Bytes to = range.to();
      pieces.add(to == null ? piece : piece.before(new Position(key, to)));
    }
    return pieces;
  }

  int index() {
    return index;
  }

  /** Returns the partition of the slice, the prefix of its row keys. */
  Bytes partition() {
    return stretch.partition();
  }

  Runs runs(int family) {
    return runs.get(family);
  }

  /** Returns the key of the next row in the order of the read; null after the last. */
  @Nullable ByteBuffer nextRow() {
    ByteBuffer next = null;
    for (int i = 0; i < runs.size(); i++) {
      ByteBuffer key = runs.get(i).key();
      keys.set(i, key);
      if (key != null && (next == null || isBefore(key, next))) {
        next = key;
      }
    }
    return next;
  }

  private boolean isBefore(ByteBuffer a, ByteBuffer b) {
    int order = Buffers.compare(a, b);
    return reverse ? order > 0 : order < 0;
  }

  /** Returns whether a family has cells in the row that {@link #nextRow} returned. */
  boolean has(int family, ByteBuffer row) {
    return row.equals(keys.get(family));
  }
}
