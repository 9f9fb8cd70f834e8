package dev.varve.engine.read;

import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.catalog.Matches.Match;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.pending.DeleteFilter;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.ReadsInProgress;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.layout.StepRunner.Onlooker;
import dev.varve.model.Kind;
import dev.varve.model.TimeRange;
import dev.varve.store.Budget;
import dev.varve.store.BudgetExceededException;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.ReadCost;
import dev.varve.store.ReadPlan;
import dev.varve.store.Table;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A request in progress: its parameters, the cost of all its reads so far, and whether it was
 * cancelled. For one thread, except {@link #cancel}.
 */
final class Reading {
  private final ReadRequest request;
  private final OpenDataset dataset;
  private final SeriesIndex index;
  private final TimeRange times;
  private final List<Match> matches;
  private final Predicate<String> wantedFields;
  private final VersionRule versions;
  private final DeleteFilter deletes;
  private final Newest newest;
  private final ReadGuard guard;
  private final Runnable cancel = this::cancel;
  private final Set<CellCursor> open = ConcurrentHashMap.newKeySet();
  private final Set<BlockTiers.View> views = ConcurrentHashMap.newKeySet();

  private final Ways ways;
  private final ReadsInProgress.Ticket ticket;

  private ReadCost closed = ReadCost.NOTHING;
  private volatile boolean cancelled;

  /** Number of cells that may be read before the attempt in progress ends; see {@link #within}. */
  private long cellsAllowed = Long.MAX_VALUE;

  private boolean exceeded;

  /**
   * Creates the reading of a request that matches some series.
   *
   * @param times times of the request within the retention
   * @param deletes samples that must not be returned
   */
  Reading(
      ReadRequest request,
      OpenDataset dataset,
      TimeRange times,
      List<Match> matches,
      Predicate<String> wantedFields,
      VersionRule versions,
      DeleteFilter deletes,
      ReadGuard guard) {
    this(request, dataset, times, matches, wantedFields, versions, deletes, guard, new Ways());
  }

  private Reading(
      ReadRequest request,
      OpenDataset dataset,
      TimeRange times,
      List<Match> matches,
      Predicate<String> wantedFields,
      VersionRule versions,
      DeleteFilter deletes,
      ReadGuard guard,
      Ways ways) {
    this.ways = ways;
    this.request = request;
    this.dataset = dataset;
    this.index = dataset.index();
    this.times = times;
    this.matches = matches;
    this.wantedFields = wantedFields;
    this.versions = versions;
    this.deletes = deletes;
    this.newest = new Newest(request.newestFirst());
    this.guard = guard;
    guard.begun(cancel);
    this.ticket = dataset.periods().reads().enter();
  }

  /**
   * Returns a reading of some of the series.
   *
   * @param spent the part of the budget that other parts have used
   */
  Reading part(int from, int to, ReadCost spent) {
    Budget budget = request.budget();
    Budget left =
        new Budget(budget.cellsRead() - spent.cellsRead(), budget.bytesRead() - spent.bytesRead());
    return new Reading(
        request.with(left),
        dataset,
        times,
        matches.subList(from, to),
        wantedFields,
        versions,
        deletes,
        guard,
        ways);
  }

  ReadRequest request() {
    return request;
  }

  TimeRange times() {
    return times;
  }

  List<Match> matches() {
    return matches;
  }

  boolean wantsField(String field) {
    return wantedFields.test(field);
  }

  /** Returns whether a field of a matching series is wanted; true if its fields are unknown. */
  boolean wantsField(int match, String field) {
    List<String> known = matches.get(match).fields();
    return wantsField(field) && (known.isEmpty() || known.contains(field));
  }

  Ways ways() {
    return ways;
  }

  VersionRule versions() {
    return versions;
  }

  /** Returns the samples that must not be returned. */
  DeleteFilter deletes() {
    return deletes;
  }

  /** Returns the versions to read so that the rule can choose one. */
  Versions versionsRead() {
    return versions.needsAll() ? Versions.ALL : request.versions();
  }

  /**
   * Returns whether the stamp of a sample matters even if no other has its instant: to find the
   * version of another time, or to tell whether a delete came before it.
   */
  boolean needsStamps() {
    return versions.needsAll()
        || !(request.versions() instanceof Versions.Latest)
        || !deletes.isEmpty();
  }

  Newest newest() {
    return newest;
  }

  /** Returns whether a matching series has delivered as many of its newest samples as requested. */
  boolean isEnough(int match) {
    Match of = matches.get(match);
    if (of.fields().isEmpty()) {
      return false;
    }
    for (String field : of.fields()) {
      if (wantsField(field) && !isEnough(match, of.series(), field)) {
        return false;
      }
    }
    return true;
  }

  private boolean isEnough(int match, int series, String field) {
    if (request.kinds() == Kinds.ONE) {
      return newest.isEnough(match, field, null);
    }
    for (Kind kind : Kind.values()) {
      if (index.hasField(series, field, kind) && !newest.isEnough(match, field, kind)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the fields to read of some series: those in the catalog, so that a layout can name
   * their cells. Null for all fields if the catalog does not know them.
   *
   * @param some indexes of matching series
   */
  @Nullable Set<String> fieldsOf(List<Integer> some) {
    Set<String> fields = new TreeSet<>();
    for (int match : some) {
      if (matches.get(match).fields().isEmpty()) {
        return request.fields();
      }
      fields.addAll(matches.get(match).fields());
    }
    fields.removeIf(field -> !wantsField(field));
    return fields;
  }

  /**
   * Accounts for the entries of an index that a layout reads for a plan, which the plan keeps in
   * memory.
   */
  final class Planning implements Onlooker, AutoCloseable {
    private long held;

    @Override
    public void begun(Runnable end) {
      guard.begun(end);
    }

    @Override
    public void read(long bytes) {
      ensureWanted();
      guard.held(bytes, "entries of a layout's index");
      held += bytes;
    }

    @Override
    public void ended(Runnable end) {
      guard.ended(end);
    }

    @Override
    public void close() {
      guard.released(held);
    }
  }

  /**
   * Attempts to read with a limit on cells. Beyond it every cursor ends, so that the result is
   * incomplete and must be dropped.
   *
   * @return false if the limit was reached, or the attempt failed for another reason
   */
  boolean within(long cells, BooleanSupplier read) {
    cellsAllowed = cost().cellsRead() + cells;
    boolean succeeded = read.getAsBoolean() && !exceeded;
    cellsAllowed = Long.MAX_VALUE;
    exceeded = false;
    return succeeded;
  }

  /** Returns whether the attempt in progress has reached its limit on cells. */
  boolean isExceeded() {
    return exceeded;
  }

  /** Returns whether a matching series has, or may have, samples that are texts. */
  boolean mayHaveTexts(int match) {
    Match of = matches.get(match);
    return of.fields().isEmpty()
        || of.fields().stream().anyMatch(field -> index.hasField(of.series(), field, Kind.STRING));
  }

  /** Returns the guard of the request, which accounts for its memory. */
  ReadGuard guard() {
    return guard;
  }

  /** Starts a read of a table with the remaining budget. */
  CellCursor open(Table table, ReadPlan plan) {
    ReadCost spent = cost();
    Budget budget = request.budget();
    Budget left =
        new Budget(budget.cellsRead() - spent.cellsRead(), budget.bytesRead() - spent.bytesRead());
    CellCursor cursor = table.read(plan.with(left), null);
    open.add(cursor);
    ensureWanted();
    return cursor;
  }

  /**
   * Pulls a page.
   *
   * @return false at the end of the cursor, or of an attempt that has reached its limit
   */
  boolean pull(CellCursor cursor, CellBatch page) {
    ensureWanted();
    if (exceeded) {
      return false;
    }
    boolean more;
    try {
      more = cursor.next(page);
    } catch (BudgetExceededException e) {
      throw new BudgetExceededException(request.budget(), cost());
    }
    ReadCost spent = cost();
    if (spent.cellsRead() > request.budget().cellsRead()
        || spent.bytesRead() > request.budget().bytesRead()) {
      throw new BudgetExceededException(request.budget(), spent);
    }
    exceeded = spent.cellsRead() > cellsAllowed;
    return more && !exceeded;
  }

  void close(CellCursor cursor) {
    if (open.remove(cursor)) {
      closed = closed.plus(cursor.cost());
      cursor.close();
    }
  }

  ReadCost cost() {
    ReadCost cost = closed;
    for (CellCursor cursor : open) {
      cost = cost.plus(cursor.cost());
    }
    return cost;
  }

  /** Returns a view of the samples in memory, which ends with the read. */
  BlockTiers.View view(BlockTiers tiers) {
    BlockTiers.View view = tiers.view();
    views.add(view);
    return view;
  }

  /** Closes all open cursors and views. */
  void close() {
    open.forEach(this::close);
    views.forEach(BlockTiers.View::close);
    ticket.close();
    guard.ended(cancel);
  }

  /** Cancels the read; any thread may call this. */
  void cancel() {
    cancelled = true;
    open.forEach(CellCursor::cancel);
  }

  /**
   * Checks whether the read was cancelled.
   *
   * @throws ReadCancelledException if it was cancelled
   */
  void ensureWanted() {
    if (cancelled) {
      throw new ReadCancelledException();
    }
    guard.ensureWanted();
  }
}
