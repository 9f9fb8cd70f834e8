package dev.varve.store.hbase;

import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.ReadCost;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.StoreException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.jspecify.annotations.Nullable;

/**
 * A read in progress: one scan after another. While one is read, the next ones are started: none at
 * first, and more as the read progresses. Rows that the plan names in ascending order share a scan,
 * because a request costs more than a row.
 */
final class HBaseCursor implements CellCursor {
  /** Maximum number of rows of one scan; their keys are sent with the request. */
  private static final int ROWS_AT_ONCE = 256;

  private final HBaseStore store;
  private final TableEntry table;
  private final ReadPlan plan;
  private final CellSieve sieve;
  private final AsyncTable<AdvancedScanResultConsumer> remote;

  /** The remaining stretches of the current slice, and the index of the slice after it. */
  private final Deque<ScanRange> stretches = new ArrayDeque<>();

  private int nextSlice;

  /** Started scans, in order; the first is being read. Any thread may stop them. */
  private final ConcurrentLinkedDeque<RangeScan> scans = new ConcurrentLinkedDeque<>();

  private int scansAtOnce = 1;
  private long requestsBefore;
  private @Nullable ResumeToken token;
  private boolean closed;
  private volatile boolean cancelled;

  HBaseCursor(HBaseStore store, TableEntry table, ReadPlan plan, @Nullable ResumeToken resume) {
    this.store = store;
    this.table = table;
    this.plan = plan;
    this.sieve = new CellSieve(table, plan, resume);
    this.remote = store.cluster().forReads(table.name());
    this.token = resume;
    if (resume != null) {
      stretches.addAll(ScanRange.after(plan, resume, table));
      nextSlice = resume.slice() + 1;
    }
  }

  @Override
  public boolean next(CellBatch into) {
    into.clear();
    ensureAlive();
    RangeScan scan = null;
    while (!plan.limits().isFull(into)) {
      scan = sieve.isFull() ? null : scan == null ? scan() : scan;
      if (scan == null) {
        release();
        break;
      }
      Cell cell = peek(scan);
      if (cell == null) {
        leave(scan);
        scan = null;
      } else if (sieve.look(cell, scan.startsResult(), scan.stretch(), into)) {
        scan.pass();
      } else {
        break;
      }
    }
    if (!into.isEmpty()) {
      token = sieve.token(into);
    }
    return !into.isEmpty();
  }

  private @Nullable Cell peek(RangeScan scan) {
    try {
      Cell cell = scan.peek();
      ensureAlive();
      return cell;
    } catch (FailedCallException e) {
      ensureAlive();
      throw table.exception(e.failure(), "reading");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("hbase store: the read was interrupted", e);
    }
  }

  /** Returns the scan to read, and starts others ahead; null if there are no more. */
  private @Nullable RangeScan scan() {
    while (scans.size() < scansAtOnce) {
      List<ScanRange> together = nextStretches();
      if (together.isEmpty()) {
        break;
      }
      ScanRequest request = new ScanRequest(plan, table, together);
      if (!request.isEmpty()) {
        begin(together, request);
      }
    }
    return scans.peekFirst();
  }

  /** Returns the next stretch, with those after it that one scan can read too. */
  private List<ScanRange> nextStretches() {
    List<ScanRange> together = new ArrayList<>();
    for (ScanRange next = nextStretch(); next != null; next = nextStretch()) {
      if (!together.isEmpty() && !ScanRequest.mayShare(plan, together.getLast(), next)) {
        break;
      }
      together.add(next);
      stretches.removeFirst();
      if (together.size() == ROWS_AT_ONCE) {
        break;
      }
    }
    return together;
  }

  private @Nullable ScanRange nextStretch() {
    while (stretches.isEmpty() && nextSlice < plan.slices().size()) {
      stretches.addAll(ScanRange.of(plan, nextSlice++));
    }
    return stretches.peekFirst();
  }

  private void begin(List<ScanRange> together, ScanRequest request) {
    ScanFeed feed = new ScanFeed();
    RangeScan scan = new RangeScan(together, feed);
    if (scans.isEmpty()) {
      store.note(this);
    }
    scans.addLast(scan);
    store.calls().countRequest();
    remote.scan(request.scan(sieve.rowsLeft()), feed);
    if (cancelled || store.calls().isClosed()) {
      scan.stop();
    }
  }

  private void leave(RangeScan scan) {
    scans.removeFirst();
    requestsBefore += scan.requests();
    scansAtOnce = Math.min(2 * scansAtOnce, store.options().concurrency());
  }

  private void release() {
    for (RangeScan scan : scans) {
      requestsBefore += scan.requests();
      scan.stop();
    }
    scans.clear();
    stretches.clear();
    nextSlice = plan.slices().size();
    store.forget(this);
  }

  private void ensureAlive() {
    store.calls().ensureOpen();
    if (cancelled) {
      throw new ReadCancelledException();
    }
    if (closed) {
      throw new StoreException("the cursor is closed");
    }
    table.ensureThere();
  }

  @Override
  public @Nullable ResumeToken token() {
    return token;
  }

  @Override
  public ReadCost cost() {
    long requests = requestsBefore;
    for (RangeScan scan : scans) {
      requests += scan.requests();
    }
    return sieve.cost(requests);
  }

  @Override
  public void cancel() {
    cancelled = true;
    stop();
  }

  /** Ends the scans, from any thread; the pull in progress finds the reason. */
  void stop() {
    scans.forEach(RangeScan::stop);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      release();
    }
  }
}
