package dev.varve.store.hbase;

import dev.varve.store.Admission;
import dev.varve.store.MutationBatch;
import dev.varve.store.MutationBatch.Edit;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.client.AsyncTable;

/**
 * Applies one batch to a table: rejects inadmissible mutations, encodes the others as rows of
 * HBase, sends them, and retries failures.
 */
final class Application {
  /*
   * The client could retry by itself, but it reports only the last attempt: one that timed out may
   * have been applied, whatever the next one returned. So each attempt is made here, and a row that
   * was once in doubt stays in doubt until an attempt succeeds. Edits are safe to repeat.
   */
  private static final int REQUEST_ROWS = 1000;
  private static final long REQUEST_BYTES = 4 << 20;
  private static final long CELL_BYTES = 64;
  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  private final HBaseStore store;
  private final TableEntry table;
  private final MutationBatch batch;
  private final List<Mutation> mutations = new ArrayList<>();

  Application(HBaseStore store, TableEntry table, MutationBatch batch) {
    this.store = store;
    this.table = table;
    this.batch = batch;
  }

  /** Returns one outcome per mutation; empty if all were applied. */
  List<RowOutcome> run(Admission admission) {
    admit(admission);
    List<Mutation> open = prepare();
    long deadline = System.nanoTime() + store.options().operationTimeout().toNanos();
    for (int attempt = 0; !open.isEmpty(); attempt++) {
      Duration pause = pauseBefore(attempt);
      boolean last =
          attempt >= store.options().retries()
              || System.nanoTime() + pauseBefore(attempt + 1).toNanos() > deadline
              || Thread.currentThread().isInterrupted();
      if (!pause.isZero()) {
        store.writes().triedAgain(open.size());
        LockSupport.parkNanos(pause.toNanos());
      }
      open = attempt(open, last);
    }
    return outcomes();
  }

  private void admit(Admission admission) {
    int end;
    for (int first = 0; first < batch.size(); first = end) {
      end = batch.mutationEnd(first);
      Mutation mutation = new Mutation(first, end, bytes(first, end));
      String refusal = admission.refusal(batch, first, end);
      if (table.isDropped()) {
        mutation.end(new RowOutcome(Status.NOT_APPLIED, table.whyGone()));
      } else if (refusal != null) {
        mutation.end(new RowOutcome(Status.REJECTED, refusal));
      }
      mutations.add(mutation);
    }
  }

  private long bytes(int first, int end) {
    long bytes = 0;
    for (int i = first; i < end; i++) {
      bytes +=
          CELL_BYTES
              + batch.cells().rowLength(i)
              + batch.cells().qualifierLength(i)
              + batch.cells().valueLength(i);
    }
    return bytes;
  }

  /** Encodes each mutation for HBase; returns those that must be sent. */
  private List<Mutation> prepare() {
    ExistingTimes existing = new ExistingTimes(store, table, batch);
    for (Mutation mutation : mutations) {
      if (mutation.isOpen() && deletes(mutation)) {
        existing.ask(mutation);
      }
    }
    existing.await();
    RowEdits edits = new RowEdits(table, batch, store.options().wal().durability);
    for (Mutation mutation : mutations) {
      if (mutation.isOpen()) {
        mutation.send(
            deletes(mutation) ? edits.row(mutation, existing.of(mutation)) : edits.puts(mutation));
      }
    }
    return mutations.stream().filter(Mutation::isOpen).toList();
  }

  private boolean deletes(Mutation mutation) {
    for (int i = mutation.first(); i < mutation.end(); i++) {
      if (batch.edit(i) != Edit.PUT) {
        return true;
      }
    }
    return false;
  }

  private static Duration pauseBefore(int attempt) {
    if (attempt == 0) {
      return Duration.ZERO;
    }
    long nanos = Math.min(LONGEST_PAUSE.toNanos(), PAUSE.toNanos() << Math.min(attempt - 1, 10));
    return Duration.ofNanos(nanos / 2 + ThreadLocalRandom.current().nextLong(nanos / 2));
  }

  /** Sends each open mutation once; returns those to retry. */
  private List<Mutation> attempt(List<Mutation> open, boolean last) {
    AsyncTable<?> remote = store.cluster().forWrites(table.name());
    List<Mutation> again = new ArrayList<>();
    List<Request> underWay = new ArrayList<>();
    Iterator<Mutation> rest = open.iterator();
    Mutation next = rest.next();
    while (next != null || !underWay.isEmpty()) {
      if (next != null && underWay.size() < store.options().concurrency()) {
        List<Mutation> rows = new ArrayList<>();
        long bytes = 0;
        do {
          rows.add(next);
          bytes += next.bytes();
          next = rest.hasNext() ? rest.next() : null;
        } while (next != null
            && rows.size() < REQUEST_ROWS
            && bytes + next.bytes() <= REQUEST_BYTES);
        store.calls().countRequest();
        underWay.add(new Request(rows, remote.batch(rows.stream().map(Mutation::row).toList())));
      } else {
        gather(underWay.removeFirst(), last, again);
      }
    }
    return again;
  }

  private record Request(List<Mutation> rows, List<CompletableFuture<Object>> answers) {}

  private void gather(Request request, boolean last, List<Mutation> again) {
    int applied = 0;
    for (int i = 0; i < request.rows.size(); i++) {
      Mutation mutation = request.rows.get(i);
      try {
        store.calls().awaitPart(request.answers.get(i));
        mutation.end(RowOutcome.APPLIED);
        applied++;
      } catch (FailedCallException e) {
        Failure failure = e.failure().amid(request.rows.size());
        if (failure.kind() == Failure.Kind.UNKNOWN) {
          mutation.doubt();
        }
        if (last || failure.kind() == Failure.Kind.REFUSED) {
          end(mutation, failure);
        } else {
          again.add(mutation);
        }
      }
    }
    store.writes().applied(applied);
  }

  private void end(Mutation mutation, Failure failure) {
    Failure.Kind kind = mutation.isInDoubt() ? Failure.Kind.UNKNOWN : failure.kind();
    store.writes().failed(kind);
    mutation.end(outcome(table, kind, failure));
  }

  static RowOutcome outcome(TableEntry table, Failure.Kind kind, Failure failure) {
    String reason = failure.isMissingTable() ? table.whyGone() : failure.reason();
    return switch (kind) {
      case REFUSED ->
          new RowOutcome(failure.isForAnOperator() ? Status.NOT_APPLIED : Status.REJECTED, reason);
      case NOT_APPLIED -> new RowOutcome(Status.NOT_APPLIED, reason);
      case UNKNOWN -> new RowOutcome(Status.UNKNOWN, reason);
    };
  }

  private List<RowOutcome> outcomes() {
    boolean allApplied = mutations.stream().allMatch(mutation -> mutation.outcome().applied());
    return allApplied ? List.of() : mutations.stream().map(Mutation::outcome).toList();
  }
}
