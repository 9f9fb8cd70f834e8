package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.cql.Row;
import dev.varve.model.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs in key order, over ascending stretches. */
final class ForwardRuns implements Runs {
  /** Number of cells of a run to skip before a new request starts after the run. */
  private static final int SKIPPED_CELLS_MAX = 1000;

  private final RowSource source;
  private final Deque<PartitionRange> stretches;
  private @Nullable Pages pages;
  private @Nullable ByteBuffer run;

  ForwardRuns(RowSource source, List<PartitionRange> stretches) {
    this.source = source;
    this.stretches = new ArrayDeque<>(PartitionRange.withoutEmpty(stretches));
    turn();
  }

  private void turn() {
    PartitionRange next = stretches.peek();
    pages = next == null ? null : source.read(next, false);
  }

  private @Nullable Row head() {
    while (pages != null) {
      Row row = pages.peek();
      PartitionRange stretch = stretches.element();
      if (row == null) {
        stretches.remove();
        turn();
      } else if (source.table().isIn(stretch, row)) {
        return row;
      } else {
        source.passOver(row);
        pages.pop();
      }
    }
    return null;
  }

  @Override
  public @Nullable ByteBuffer key() {
    Row row = head();
    run = row == null ? null : source.table().key(row);
    return run;
  }

  @Override
  public @Nullable Row peek() {
    Row row = head();
    return row != null && run != null && run.equals(source.table().key(row)) ? row : null;
  }

  @Override
  public void pop() {
    if (pages != null) {
      pages.pop();
    }
  }

  @Override
  public void skip() {
    for (int passed = 0; peek() != null; passed++) {
      if (passed == SKIPPED_CELLS_MAX && run != null) {
        startAfter(Buffers.bytes(run));
        return;
      }
      pop();
    }
  }

  private void startAfter(Bytes key) {
    List<PartitionRange> rest =
        stretches.stream().map(stretch -> stretch.since(Position.after(key))).toList();
    stretches.clear();
    stretches.addAll(PartitionRange.withoutEmpty(rest));
    turn();
  }
}
