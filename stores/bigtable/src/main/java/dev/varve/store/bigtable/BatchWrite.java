package dev.varve.store.bigtable;

import com.google.api.core.ApiFuture;
import com.google.cloud.bigtable.data.v2.models.BulkMutation;
import com.google.cloud.bigtable.data.v2.models.MutateRowsException;
import com.google.cloud.bigtable.data.v2.models.Mutation;
import com.google.cloud.bigtable.data.v2.models.TableId;
import com.google.protobuf.ByteString;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Writes mutations of rows in large requests. Each mutation is retried until it is applied,
 * rejected or times out. If an earlier attempt may have been applied, the outcome stays unknown
 * whatever later attempts return.
 */
final class BatchWrite {
  /** Bigtable's limit of edits per request. */
  static final int REQUEST_EDITS_MAX = 100_000;

  private static final int REQUEST_ROWS_MAX = 10_000;
  private static final long REQUEST_BYTES_MAX = 8 << 20;

  private final BigtableStore store;
  private final TableMapping table;
  private final String what;
  private List<Row> left = new ArrayList<>();

  /** The mutation of one row. */
  private static final class Row {
    private final int number;
    private final ByteString key;
    private final Mutation mutation;
    private final int edits;
    private final long weight;
    private @Nullable FailedCall failure;

    /** The last failure after which the mutation may have been applied. */
    private @Nullable FailedCall unknown;

    private Row(int number, ByteString key, Mutation mutation, int edits, long weight) {
      this.number = number;
      this.key = key;
      this.mutation = mutation;
      this.edits = edits;
      this.weight = weight;
    }

    private void fail(FailedCall call) {
      failure = call;
      if (call.mayBeApplied()) {
        unknown = call;
      }
    }
  }

  private record Request(List<Row> rows, ApiFuture<Void> answer) {}

  BatchWrite(BigtableStore store, TableMapping table) {
    this.store = store;
    this.table = table;
    this.what = "writing to table '%s'".formatted(table.spec().name());
  }

  void add(int number, ByteString key, Mutation mutation, int edits, long weight) {
    left.add(new Row(number, key, mutation, edits, weight));
  }

  /** Writes, and stores the outcomes of mutations that were not applied at their indexes. */
  void run(@Nullable RowOutcome[] outcomes) {
    Attempts attempts = store.attempts();
    try {
      while (!left.isEmpty()) {
        send();
        List<Row> again = new ArrayList<>();
        for (Row row : left) {
          FailedCall failure = row.failure;
          if (failure != null && failure.isWorthRetrying()) {
            again.add(row);
          } else if (failure != null) {
            outcomes[row.number] = outcome(row, failure);
          }
        }
        left = again;
        if (!left.isEmpty() && !attempts.awaitNext()) {
          break;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    for (Row row : left) {
      FailedCall failure = row.failure;
      outcomes[row.number] =
          failure == null
              ? new RowOutcome(Status.UNKNOWN, what + " was interrupted")
              : outcome(row, failure);
    }
  }

  private RowOutcome outcome(Row row, FailedCall failure) {
    if (failure.isNotFound() && row.unknown == null) {
      return new RowOutcome(
          Status.NOT_APPLIED,
          "table '%s' was dropped: %s"
              .formatted(table.spec().name(), failure.describe("Bigtable")));
    }
    return (row.unknown == null ? failure : row.unknown).outcome(what);
  }

  private void send() throws InterruptedException {
    List<Request> requests = new ArrayList<>();
    try {
      for (int from = 0; from < left.size(); ) {
        int to = requestEnd(from);
        requests.add(send(left.subList(from, to)));
        from = to;
      }
    } finally {
      for (Request request : requests) {
        await(request);
      }
    }
  }

  private int requestEnd(int from) {
    int edits = 0;
    long bytes = 0;
    int to = from;
    while (to < left.size() && to - from < REQUEST_ROWS_MAX) {
      edits += left.get(to).edits;
      bytes += left.get(to).weight;
      if (to > from && (edits > REQUEST_EDITS_MAX || bytes > REQUEST_BYTES_MAX)) {
        break;
      }
      to++;
    }
    return to;
  }

  private Request send(List<Row> rows) throws InterruptedException {
    BulkMutation mutation = BulkMutation.create(TableId.of(table.id()));
    for (Row row : rows) {
      row.failure = null;
      mutation.add(row.key, row.mutation);
    }
    return new Request(rows, store.mutate(mutation));
  }

  private void await(Request request) throws InterruptedException {
    try {
      request.answer().get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof MutateRowsException some) {
        for (MutateRowsException.FailedMutation failed : some.getFailedMutations()) {
          request.rows().get(failed.getIndex()).fail(new FailedCall(failed.getError()));
        }
        store.failed(some.getFailedMutations().getFirst().getError());
      } else {
        FailedCall failed = store.failed(e);
        request.rows().forEach(row -> row.fail(failed));
      }
    }
  }
}
