package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.cql.Row;
import dev.varve.model.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs in descending key order, with the cells of each in the usual order. Cassandra reverses both
 * or neither, so a run is read backwards and reversed here. A run that is too long for that is read
 * again forwards.
 */
final class ReverseRuns implements Runs {
  /** Maximum number of cells of a run that are reversed in memory. */
  private static final int TURNED_MAX = 4000;

  private final RowSource source;
  private final PartitionRange whole;
  private @Nullable Pages below;

  /** The current run: reversed cells, or a separate forward read. */
  private final Deque<Row> turned = new ArrayDeque<>();

  private @Nullable ForwardRuns alone;
  private @Nullable ByteBuffer run;

  /**
   * Starts to read.
   *
   * @param first the rest of a run whose start was already read, which lies above all of {@code
   *     whole}; null for none
   */
  ReverseRuns(RowSource source, PartitionRange whole, @Nullable PartitionRange first) {
    this.source = source;
    this.whole = whole;
    if (first != null && !first.isEmpty()) {
      this.alone = new ForwardRuns(source, List.of(first));
    }
    this.below = whole.isEmpty() ? null : source.read(whole, true);
  }

  @Override
  public @Nullable ByteBuffer key() {
    if (alone != null) {
      run = alone.key();
      if (run != null) {
        return run;
      }
      alone = null;
    }
    if (turned.isEmpty()) {
      load();
    }
    Row first = turned.peekFirst();
    run = first == null ? null : source.table().key(first);
    return alone == null ? run : alone.key();
  }

  /** Reads the next run backwards. */
  private void load() {
    Row row = below == null ? null : below.peek();
    if (below == null || row == null) {
      return;
    }
    ByteBuffer key = source.table().key(row);
    while (row != null && key.equals(source.table().key(row))) {
      if (turned.size() == TURNED_MAX) {
        turned.clear();
        readAlone(Buffers.bytes(key));
        return;
      }
      turned.addFirst(row);
      below.pop();
      row = below.peek();
    }
  }

  private void readAlone(Bytes key) {
    alone = new ForwardRuns(source, List.of(whole.ofRow(key)));
    PartitionRange rest = whole.before(Position.startOf(key));
    below = rest.isEmpty() ? null : source.read(rest, true);
  }

  @Override
  public @Nullable Row peek() {
    return alone == null ? turned.peekFirst() : alone.peek();
  }

  @Override
  public void pop() {
    if (alone == null) {
      turned.pollFirst();
    } else {
      alone.pop();
    }
  }

  @Override
  public void skip() {
    if (alone == null) {
      turned.clear();
    } else {
      alone.skip();
    }
  }
}
