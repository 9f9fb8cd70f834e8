package dev.varve.store.rocksdb;

import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.ReadCost;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.StoreException;
import dev.varve.store.rocksdb.CellScan.Progress;
import java.util.concurrent.CancellationException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * A read in progress. The first pull opens its iterator, which is a snapshot, and the pull that
 * reaches the end closes it, so that a short read takes one native call.
 */
final class RocksCursor implements CellCursor, CellScan.Reader {
  private final RocksStore store;
  private final TableEntry table;
  private final ReadPlan plan;
  private final @Nullable ResumeToken resume;
  private final NativeHandles handles;
  private @Nullable CellScan scan;
  private @Nullable ResumeToken token;
  private boolean finished;
  private boolean closed;
  private volatile boolean released;
  private volatile boolean cancelled;

  /** The pull that waits for a thread or runs on one; null if there is none. */
  private volatile @Nullable FutureTask<Progress> pull;

  RocksCursor(RocksStore store, TableEntry table, ReadPlan plan, @Nullable ResumeToken resume) {
    this.store = store;
    this.table = table;
    this.plan = plan;
    this.resume = resume;
    this.token = resume;
    this.handles = store.newHandles();
  }

  @Override
  public boolean next(CellBatch into) {
    into.clear();
    ensureAlive();
    if (closed) {
      throw new StoreException("the cursor is closed");
    }
    Progress progress = finished ? Progress.END : Progress.PAUSE;
    while (progress == Progress.PAUSE) {
      progress = pull(into);
    }
    finished = progress == Progress.END;
    if (scan != null && !into.isEmpty()) {
      token = scan.token(into);
    }
    return !into.isEmpty();
  }

  private Progress pull(CellBatch into) {
    NativeGate gate = store.gate();
    if (!Thread.currentThread().isVirtual()) {
      return gate.pass(() -> fill(into));
    }
    FutureTask<Progress> task = gate.queue(() -> fill(into));
    pull = task;
    if (cancelled) {
      gate.withdraw(task);
    }
    try {
      return NativeGate.await(task);
    } catch (CancellationException e) {
      throw new ReadCancelledException();
    } finally {
      pull = null;
    }
  }

  private Progress fill(CellBatch into) throws RocksDBException {
    CellScan open = scan;
    if (open == null) {
      table.ensureThere();
      open = new CellScan(table, plan, resume, store.iterator(this, table, plan), this);
      scan = open;
    }
    Progress progress = open.fill(into);
    if (progress == Progress.END) {
      release();
    }
    return progress;
  }

  @Override
  public void noteSurplus(int family, byte[] column) {
    store.writer().offer(new SurplusTrim(store.database(), table, family, column));
  }

  @Override
  public void ensureAlive() {
    store.gate().ensureOpen();
    if (cancelled) {
      throw new ReadCancelledException();
    }
  }

  NativeHandles handles() {
    return handles;
  }

  /** Frees native objects. The gate ensures that it never runs during a pull. */
  void release() {
    released = true;
    handles.close();
    store.forget(this);
  }

  @Override
  public @Nullable ResumeToken token() {
    return token;
  }

  @Override
  public ReadCost cost() {
    return scan == null ? ReadCost.NOTHING : scan.cost();
  }

  @Override
  public void cancel() {
    cancelled = true;
    FutureTask<Progress> waiting = pull;
    if (waiting != null) {
      store.gate().withdraw(waiting);
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      if (!released) {
        store.gate().free(this::release);
      }
    }
  }
}
