package dev.varve.store.bigtable;

import dev.varve.store.BudgetExceededException;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.ReadCost;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.StoreException;
import dev.varve.store.adapter.ReadTally;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A read in progress. Each segment of its slices is a request. Several requests run ahead of the
 * segment being read; the first page waits for one only.
 *
 * <p>A request returns at most one chunk of a row's cells per family. The rest is requested when it
 * is needed, so that a long row is never held completely.
 */
final class BigtableCursor implements CellCursor {
  private static final int CHUNK_MIN = 64;
  private static final int CHUNK_FIRST_MAX = 4096;
  private static final int CHUNK_GROWTH = 4;

  /** Chunks grow until they reach about this size, in bytes. */
  private static final long CHUNK_BYTES = 4 << 20;

  private final BigtableStore store;
  private final TableMapping table;
  private final ReadPlan plan;
  private final SegmentRequests requests;
  private final ReadTally tally;
  private final Deque<Segment> segments = new ArrayDeque<>();
  private final Deque<RowStream> ahead = new ArrayDeque<>();
  private int nextSlice;
  private int depth = 1;
  private int chunk;
  private @Nullable RowPart row;

  /** Further cells of one family of the row, if they did not arrive at once. */
  private @Nullable RowPart more;

  private boolean held;
  private boolean finished;
  private boolean closed;
  private @Nullable RuntimeException failure;
  private @Nullable ResumeToken token;
  private ReadCost cost = ReadCost.NOTHING;
  private volatile boolean cancelled;
  private volatile @Nullable RowStream awaited;

  BigtableCursor(
      BigtableStore store, TableMapping table, ReadPlan plan, @Nullable ResumeToken resume) {
    this.store = store;
    this.table = table;
    this.plan = plan;
    this.requests = new SegmentRequests(table, plan);
    this.tally = new ReadTally(plan.limits());
    this.chunk = Math.clamp(plan.limits().pageCells(), CHUNK_MIN, CHUNK_FIRST_MAX);
    this.token = resume;
    if (resume != null) {
      tally.resume(resume);
      segments.addAll(Segment.after(plan, resume));
      nextSlice = resume.slice() + 1;
    }
  }

  @Override
  public boolean next(CellBatch into) {
    into.clear();
    ensureAlive();
    if (closed) {
      throw new StoreException("the cursor is closed");
    }
    RuntimeException earlier = failure;
    if (earlier != null) {
      throw earlier;
    }
    try {
      while (!finished && !plan.limits().isFull(into)) {
        ensureAlive();
        if (!step(into)) {
          break;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(new StoreException("reading table '%s' was interrupted".formatted(name()), e));
    } catch (FailedCall e) {
      throw failed(store.failedRead(table, e));
    } catch (StoreException | BudgetExceededException | ReadCancelledException e) {
      throw failed(e);
    }
    if (finished) {
      release();
    }
    if (!into.isEmpty()) {
      token = tally.token(into);
    }
    return !into.isEmpty();
  }

  /** A failure is permanent: later pulls rethrow it. */
  private RuntimeException failed(RuntimeException e) {
    failure = e;
    release();
    return e;
  }

  private String name() {
    return table.spec().name();
  }

  /** Reads one cell; returns whether the page may continue. */
  private boolean step(CellBatch into) throws InterruptedException {
    RowPart part = part();
    if (part == null) {
      finished = true;
      return false;
    }
    if (!held && !part.next()) {
      endPart();
      return true;
    }
    held = false;
    if (!isWithinBudget(part)) {
      if (into.isEmpty()) {
        throw new BudgetExceededException(plan.budget(), cost);
      }
      held = true;
      return false;
    }
    look(part, into);
    continueFamily(part);
    finished = tally.isFull();
    return true;
  }

  private boolean isWithinBudget(RowPart part) {
    return cost.cellsRead() + 1 <= plan.budget().cellsRead()
        && cost.bytesRead() + part.weight() <= plan.budget().bytesRead();
  }

  private void look(RowPart part, CellBatch into) {
    ReceivedRow received = part.row();
    int cell = part.cell();
    int family = received.family(cell);
    long weight = part.weight();
    FamilySelect select = part.select(family);
    int version = tally.isFull(family) ? 0 : part.wantedVersion(select);
    int value = plan.values() ? part.valueLength() : 0;
    long returned = weight - part.valueLength() + value;
    cost =
        cost.plus(new ReadCost(0, 1, version > 0 ? 1 : 0, weight, version > 0 ? returned : 0, 0));
    if (version > 0) {
      byte[] key = received.keyBytes();
      into.add(
          key,
          0,
          key.length,
          family,
          received.bytes(),
          received.qualifierAt(cell),
          received.qualifierLength(cell),
          part.time(),
          received.bytes(),
          part.valueAt(),
          value);
      tally.add(part.segment().slice(), family, version);
    }
  }

  /** Requests more cells of the current family, if its cells end here but not in Bigtable. */
  private void continueFamily(RowPart part) throws InterruptedException {
    int family = part.row().family(part.cell());
    if (part.nextFamily() == family || tally.isFull() || tally.isFull(family)) {
      return;
    }
    Position rest = part.rest(family);
    if (rest == null) {
      return;
    }
    growChunk(part.row());
    Segment segment = part.segment().row(part.row().key(), rest);
    SegmentRequest request =
        requests.of(segment, family, chunk, Long.MAX_VALUE, tally.cellsOf(family));
    more = null;
    if (request != null) {
      RowStream stream = start(request);
      try {
        ReceivedRow received = take(stream);
        more = received == null ? null : new RowPart(table, plan, request, received);
      } finally {
        stream.cancel();
      }
    }
  }

  private void growChunk(ReceivedRow received) {
    long weight = Math.max(1, received.weight() / received.size());
    long most = Math.max(CHUNK_MIN, CHUNK_BYTES / weight);
    chunk = (int) Math.min((long) chunk * CHUNK_GROWTH, Math.max(chunk, most));
  }

  private void endPart() {
    if (more != null) {
      more = null;
    } else {
      row = null;
    }
  }

  /** Returns the part of a row whose cells come next; null at the end of the read. */
  private @Nullable RowPart part() throws InterruptedException {
    if (more != null) {
      return more;
    }
    if (row == null) {
      row = nextRow();
    }
    return row;
  }

  private @Nullable RowPart nextRow() throws InterruptedException {
    while (true) {
      ensureAlive();
      lookAhead();
      RowStream stream = ahead.peek();
      if (stream == null) {
        return null;
      }
      ReceivedRow received = take(stream);
      if (received == null) {
        ahead.remove();
        depth = Math.min(2 * depth, store.options().readAhead());
      } else {
        if (stream.request().segment().after() == null) {
          tally.startRow();
        }
        cost = cost.plus(new ReadCost(1, 0, 0, 0, 0, 0));
        if (tally.isFull()) {
          return null;
        }
        return new RowPart(table, plan, stream.request(), received);
      }
    }
  }

  private void lookAhead() {
    while (ahead.size() < depth) {
      Segment segment = nextSegment();
      if (segment == null) {
        return;
      }
      Position after = segment.after();
      int cells = after == null ? 0 : tally.cellsOf(after.family());
      SegmentRequest request =
          requests.of(
              segment, SegmentRequests.ALL_FAMILIES, chunk, tally.rowsWithCellsLeft(), cells);
      if (request != null) {
        ahead.add(start(request));
      }
    }
  }

  private @Nullable Segment nextSegment() {
    while (segments.isEmpty() && nextSlice < plan.slices().size()) {
      ensureAlive();
      segments.addAll(Segment.of(plan, nextSlice++));
    }
    return segments.poll();
  }

  private RowStream start(SegmentRequest request) {
    RowStream stream = new RowStream(request);
    cost = cost.plus(new ReadCost(0, 0, 0, 0, 0, 1));
    store.read(table, request, stream);
    return stream;
  }

  private @Nullable ReceivedRow take(RowStream stream) throws InterruptedException {
    awaited = stream;
    try {
      return stream.take(store.options().timeout(), this::ensureAlive);
    } finally {
      awaited = null;
    }
  }

  private void ensureAlive() {
    store.ensureOpen();
    if (cancelled) {
      throw new ReadCancelledException();
    }
  }

  /** Ends all requests in progress. */
  private void release() {
    ahead.forEach(RowStream::cancel);
    ahead.clear();
    segments.clear();
    row = null;
    more = null;
    finished = true;
    store.forget(this);
  }

  /** Makes a waiting pull check whether it is still wanted. */
  void wake() {
    RowStream stream = awaited;
    if (stream != null) {
      stream.wake();
    }
  }

  @Override
  public @Nullable ResumeToken token() {
    return token;
  }

  @Override
  public ReadCost cost() {
    return cost;
  }

  @Override
  public void cancel() {
    cancelled = true;
    wake();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      release();
    }
  }
}
