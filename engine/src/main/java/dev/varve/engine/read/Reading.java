package dev.varve.engine.read;

import dev.varve.engine.ReadGuard;
import dev.varve.engine.ReadRequest;
import dev.varve.engine.ReadRequest.Kinds;
import dev.varve.engine.catalog.Matches.Match;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.layout.Steps.Onlooker;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A request under way: what it wants, what it has cost so far over all its reads, and whether
 * somebody wants it to end. Only {@link #cancel} may be called by another thread than the one that
 * reads.
 */
final class Reading {
  private final ReadRequest request;
  private final SeriesIndex index;
  private final TimeRange times;
  private final List<Match> matches;
  private final Predicate<String> wantedFields;
  private final VersionRule versions;
  private final Newest newest;
  private final ReadGuard guard;
  private final Runnable cancel = this::cancel;
  private final Set<CellCursor> open = ConcurrentHashMap.newKeySet();

  private final Ways ways;

  private ReadCost closed = ReadCost.NOTHING;
  private volatile boolean cancelled;

  /** How many cells may be read before the attempt under way is given up; see {@link #within}. */
  private long cellsAllowed = Long.MAX_VALUE;

  private boolean exceeded;

  /** What has turned out of the ways to read; of the parts of one reading, what one finds holds. */
  private static final class Ways {
    private final AtomicBoolean oneByOne = new AtomicBoolean();
    private final AtomicBoolean apart = new AtomicBoolean();
  }

  /**
   * A request that matches some series.
   *
   * @param times those of the request, cut to what is kept
   */
  Reading(
      ReadRequest request,
      SeriesIndex index,
      TimeRange times,
      List<Match> matches,
      Predicate<String> wantedFields,
      VersionRule versions,
      ReadGuard guard) {
    this(request, index, times, matches, wantedFields, versions, guard, new Ways());
  }

  private Reading(
      ReadRequest request,
      SeriesIndex index,
      TimeRange times,
      List<Match> matches,
      Predicate<String> wantedFields,
      VersionRule versions,
      ReadGuard guard,
      Ways ways) {
    this.ways = ways;
    this.request = request;
    this.index = index;
    this.times = times;
    this.matches = matches;
    this.wantedFields = wantedFields;
    this.versions = versions;
    this.newest = new Newest(request.newestFirst());
    this.guard = guard;
    guard.begun(cancel);
  }

  /**
   * A reading of some of the series.
   *
   * @param spent what others have used of the budget
   */
  Reading part(int from, int to, ReadCost spent) {
    Budget budget = request.budget();
    Budget left =
        new Budget(budget.cellsRead() - spent.cellsRead(), budget.bytesRead() - spent.bytesRead());
    return new Reading(
        request.with(left),
        index,
        times,
        matches.subList(from, to),
        wantedFields,
        versions,
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

  /** Whether a field of a series that matches is wanted; of unknown fields all that match are. */
  boolean wantsField(int match, String field) {
    List<String> known = matches.get(match).fields();
    return wantsField(field) && (known.isEmpty() || known.contains(field));
  }

  /** Whether it has turned out that series which come one after the other have to be planned so. */
  boolean plansOneByOne() {
    return ways.oneByOne.get();
  }

  void planOneByOne() {
    ways.oneByOne.set(true);
  }

  /** Whether it has turned out that series read together are more than may be held. */
  boolean plansApart() {
    return ways.apart.get();
  }

  void planApart() {
    ways.apart.set(true);
  }

  VersionRule versions() {
    return versions;
  }

  /** Which versions have to be read so that one can be chosen. */
  Versions versionsRead() {
    return versions.needsAll() ? Versions.ALL : request.versions();
  }

  Newest newest() {
    return newest;
  }

  /** Whether a series that matches has given as many of its newest samples as were asked for. */
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
   * The fields to be read of some of the series: those that the catalog knows, so that a layout can
   * name their cells; null for all where the catalog does not know them.
   *
   * @param some places among those that match
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

  /** Looks on while a layout looks into its tables for a plan, which holds what it finds there. */
  final class Planning implements Onlooker, AutoCloseable {
    private long held;

    @Override
    public void begun(Runnable end) {
      guard.begun(end);
    }

    @Override
    public void read(long bytes) {
      ensureWanted();
      guard.held(bytes, "what an index of the layout names");
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
   * Attempts to read with a limit on cells. Beyond it every cursor ends, so that what was read is
   * incomplete and must be dropped.
   *
   * @return false if the limit was reached, or the attempt failed otherwise
   */
  boolean within(long cells, BooleanSupplier read) {
    cellsAllowed = cost().cellsRead() + cells;
    boolean succeeded = read.getAsBoolean() && !exceeded;
    cellsAllowed = Long.MAX_VALUE;
    exceeded = false;
    return succeeded;
  }

  /** Returns whether the attempt under way has reached its limit on cells. */
  boolean isExceeded() {
    return exceeded;
  }

  /** Whether a series that matches has, or may have, samples that are texts. */
  boolean mayHaveTexts(int match) {
    Match of = matches.get(match);
    return of.fields().isEmpty()
        || of.fields().stream().anyMatch(field -> index.hasField(of.series(), field, Kind.STRING));
  }

  /** Whoever looks on at what is held. */
  ReadGuard guard() {
    return guard;
  }

  /** Starts a read of a table, with as much budget as is left. */
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

  /** Closes what is still open. */
  void close() {
    open.forEach(this::close);
    guard.ended(cancel);
  }

  /** Makes the read end; from any thread. */
  void cancel() {
    cancelled = true;
    open.forEach(CellCursor::cancel);
  }

  /**
   * Ends the read if somebody wants that.
   *
   * @throws ReadCancelledException if so
   */
  void ensureWanted() {
    if (cancelled) {
      throw new ReadCancelledException();
    }
    guard.ensureWanted();
  }
}
