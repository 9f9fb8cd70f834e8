package dev.varve.store.contract;

import dev.varve.model.Bytes;
import dev.varve.store.Capabilities;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.ReadCost;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A store that wraps another one and injects network faults, driven by a seed: slow, throttled or
 * lost calls, partial results, missing answers, and failures midway. It never counts as embedded,
 * and closing it leaves the wrapped store open.
 *
 * <p>Its behaviour stays within what {@link Table} allows. A mutation is applied as a whole or not
 * at all, and a mutation with unknown outcome may be applied later, after others. The cell with the
 * higher time then wins, as in every store that keeps times. An embedded store need not compare
 * times, so this class does it on the store's behalf ({@link LatePuts}).
 *
 * <p>The thread that creates the store has its own random numbers, so other threads do not
 * influence what happens to its calls.
 */
public final class FaultyStore implements Store {
  /**
   * Probabilities of faults, each from 0 to 1.
   *
   * @param slow the call takes a little longer
   * @param throttled nothing of a write is applied, and the store says so
   * @param partial some mutations of a write are applied, some are definitely not, and the outcome
   *     of others is unknown
   * @param late the share of mutations with unknown outcome that are applied later; must be 0 if
   *     cell times cannot tell which of two puts is later
   * @param lost the connection is lost: this call and the next ones fail
   * @param readFails a call of a cursor's {@code next} fails
   */
  public record Faults(
      double slow, double throttled, double partial, double late, double lost, double readFails) {
    public static final Faults NONE = new Faults(0, 0, 0, 0, 0, 0);
    public static final Faults OFTEN = new Faults(0.01, 0.03, 0.04, 0.5, 0.002, 0.005);

    /** Returns the same probabilities without late mutations. */
    public Faults withoutLate() {
      return new Faults(slow, throttled, partial, 0, lost, readFails);
    }
  }

  private static final long SLOW_NANOS = 300_000;
  private static final int CALLS_WITHOUT_CONNECTION = 3;

  private final Store store;
  private final LatePuts late;
  private final long maker = Thread.currentThread().threadId();
  private final AtomicInteger openCursors = new AtomicInteger();
  private final AtomicLong faults = new AtomicLong();

  private final AtomicInteger unanswered = new AtomicInteger();
  private volatile Silence silence = Silence.NONE;

  /** This and all fields below are guarded by this. */
  private final Random ownDice;

  private final Random othersDice;
  private Faults often = Faults.NONE;
  private int lostCalls;

  /**
   * A period during which the store does not answer.
   *
   * @param timeout how long a call waits for an answer; 0 if the store answers
   */
  private record Silence(CountDownLatch end, Duration timeout) {
    static final Silence NONE = new Silence(new CountDownLatch(0), Duration.ZERO);
  }

  public FaultyStore(Store store, long seed) {
    this.store = store;
    this.late = new LatePuts(store.isEmbedded());
    this.ownDice = new Random(seed);
    this.othersDice = new Random(~seed);
  }

  /** Sets the fault probabilities of later calls. */
  public synchronized FaultyStore faults(Faults now) {
    often = now;
    lostCalls = 0;
    return this;
  }

  /**
   * Stops answering.
   *
   * @param timeout how long a call waits for its answer. After that, the outcome of a write is
   *     unknown, and a read fails
   */
  public void fallSilent(Duration timeout) {
    silence = new Silence(new CountDownLatch(1), timeout);
  }

  /** Resumes answering, including for calls that wait. */
  public void speakAgain() {
    Silence over = silence;
    silence = Silence.NONE;
    over.end().countDown();
  }

  /** Returns how many calls are waiting for an answer. */
  public int unansweredCalls() {
    return unanswered.get();
  }

  /** Returns how many cursors are open. */
  public int openCursors() {
    return openCursors.get();
  }

  /** Returns how many faults were injected. */
  public long faultCount() {
    return faults.get();
  }

  /** Applies everything still in flight. */
  public synchronized void settle() {
    late.arrive(Integer.MAX_VALUE);
  }

  /** Waits while the store does not answer. Returns whether the wait timed out. */
  private boolean waitTimesOut() {
    Silence now = silence;
    if (now.timeout().isZero()) {
      return false;
    }
    faults.incrementAndGet();
    unanswered.incrementAndGet();
    try {
      return !now.end().await(now.timeout().toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    } finally {
      unanswered.decrementAndGet();
    }
  }

  private Random dice() {
    return Thread.currentThread().threadId() == maker ? ownDice : othersDice;
  }

  private synchronized boolean happens(double chance) {
    boolean happens = chance > 0 && dice().nextDouble() < chance;
    if (happens) {
      faults.incrementAndGet();
    }
    return happens;
  }

  private void dawdle() {
    if (happens(often().slow())) {
      LockSupport.parkNanos(SLOW_NANOS);
    }
  }

  private synchronized Faults often() {
    return often;
  }

  /** Returns whether the connection is currently lost. */
  private synchronized boolean isLost() {
    if (lostCalls == 0 && happens(often.lost())) {
      lostCalls = 1 + dice().nextInt(CALLS_WITHOUT_CONNECTION);
    }
    lostCalls = Math.max(0, lostCalls - 1);
    return lostCalls > 0;
  }

  private static StoreException connectionLost() {
    return new StoreException("the connection is lost", null, true);
  }

  private static StoreException noAnswer() {
    return new StoreException("no answer in time", null, true);
  }

  /** Injects a failure before a call reaches the store. */
  private void failBeforeCall() {
    dawdle();
    if (waitTimesOut()) {
      throw noAnswer();
    }
    if (isLost() || happens(often().throttled())) {
      throw connectionLost();
    }
  }

  /** Injects a failure after the store has executed a call. */
  private void failAfterCall() {
    if (happens(often().partial())) {
      throw connectionLost();
    }
  }

  private synchronized List<RowOutcome> apply(
      Table table, MutationBatch batch, Durability durability) {
    late.arrive(dice().nextInt(3));
    if (isLost()) {
      return all(batch, new RowOutcome(Status.NOT_APPLIED, "there is no connection"));
    }
    if (happens(often.throttled())) {
      return all(batch, new RowOutcome(Status.NOT_APPLIED, "too many requests"));
    }
    if (happens(often.partial())) {
      return applyPart(table, batch, durability);
    }
    return late.apply(table, batch, durability);
  }

  private synchronized List<RowOutcome> applyWithoutAnswer(
      Table table, MutationBatch batch, Durability durability) {
    return each(batch, mutation -> unknown(table, mutation, durability));
  }

  private synchronized void close(Table table) {
    late.close(table);
  }

  private static List<RowOutcome> all(MutationBatch batch, RowOutcome outcome) {
    List<RowOutcome> outcomes = new ArrayList<>();
    for (int first = 0; first < batch.size(); first = batch.mutationEnd(first)) {
      outcomes.add(outcome);
    }
    return outcomes;
  }

  private List<RowOutcome> applyPart(Table table, MutationBatch batch, Durability durability) {
    return each(
        batch,
        mutation ->
            switch (dice().nextInt(4)) {
              case 0 -> new RowOutcome(Status.NOT_APPLIED, "this row's server is moving");
              case 1 -> unknown(table, mutation, durability);
              default -> applied(late.apply(table, mutation, durability));
            });
  }

  private static List<RowOutcome> each(
      MutationBatch batch, Function<MutationBatch, RowOutcome> outcome) {
    List<RowOutcome> outcomes = new ArrayList<>();
    int end;
    for (int first = 0; first < batch.size(); first = end) {
      end = batch.mutationEnd(first);
      MutationBatch mutation = new MutationBatch();
      for (int edit = first; edit < end; edit++) {
        mutation.addFrom(batch, edit);
      }
      outcomes.add(outcome.apply(mutation));
    }
    return outcomes;
  }

  private RowOutcome unknown(Table table, MutationBatch mutation, Durability durability) {
    RowOutcome unknown = new RowOutcome(Status.UNKNOWN, "no answer in time");
    if (dice().nextDouble() < often.late() && LatePuts.isPuts(mutation)) {
      late.add(table, mutation);
    } else if (dice().nextBoolean()) {
      RowOutcome outcome = applied(late.apply(table, mutation, durability));
      return outcome.status() == Status.REJECTED ? outcome : unknown;
    }
    return unknown;
  }

  private static RowOutcome applied(List<RowOutcome> outcomes) {
    return outcomes.isEmpty() ? RowOutcome.APPLIED : outcomes.getFirst();
  }

  @Override
  public String kind() {
    return store.kind();
  }

  @Override
  public String place(TableSpec spec) {
    return store.place(spec);
  }

  @Override
  public Capabilities capabilities(TableSpec spec) {
    return store.capabilities(spec);
  }

  @Override
  public List<String> check(TableSpec spec, Set<Class<? extends Power>> needs) {
    return store.check(spec, needs);
  }

  @Override
  public Table open(TableSpec spec, OpenMode mode) {
    failBeforeCall();
    Table table = store.open(spec, mode);
    try {
      failAfterCall();
    } catch (StoreException e) {
      table.close();
      throw e;
    }
    return new FaultyTable(table);
  }

  @Override
  public List<String> tables() {
    failBeforeCall();
    return store.tables();
  }

  @Override
  public boolean exists(TableSpec spec) {
    failBeforeCall();
    return store.exists(spec);
  }

  @Override
  public void drop(String table) {
    failBeforeCall();
    store.drop(table);
    failAfterCall();
  }

  @Override
  public Map<String, Double> figures() {
    return new TreeMap<>(store.figures());
  }

  /** Leaves the wrapped store open. */
  @Override
  public void close() {}

  private final class FaultyTable implements Table, Power.ConditionalPut, Power.Increment {
    private final Table table;

    private FaultyTable(Table table) {
      this.table = table;
    }

    @Override
    public TableSpec spec() {
      return table.spec();
    }

    @Override
    public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
      dawdle();
      return waitTimesOut()
          ? applyWithoutAnswer(table, batch, durability)
          : FaultyStore.this.apply(table, batch, durability);
    }

    @Override
    public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
      dawdle();
      if (waitTimesOut()) {
        throw noAnswer();
      }
      if (isLost()) {
        throw connectionLost();
      }
      CellCursor cursor = table.read(plan, resume);
      openCursors.incrementAndGet();
      return new FaultyCursor(cursor);
    }

    @Override
    public <P extends Power> Optional<P> power(Class<P> power) {
      boolean here = power.isInstance(this) && table.power(power).isPresent();
      return here ? Optional.of(power.cast(this)) : Optional.empty();
    }

    @Override
    public boolean putIf(Cell cell, @Nullable Bytes expected) {
      failBeforeCall();
      boolean put = table.power(Power.ConditionalPut.class).orElseThrow().putIf(cell, expected);
      failAfterCall();
      return put;
    }

    @Override
    public long add(Bytes row, int family, Bytes qualifier, long amount, long time) {
      failBeforeCall();
      Power.Increment increment = table.power(Power.Increment.class).orElseThrow();
      long sum = increment.add(row, family, qualifier, amount, time);
      failAfterCall();
      return sum;
    }

    @Override
    public void close() {
      FaultyStore.this.close(table);
    }
  }

  private final class FaultyCursor implements CellCursor {
    private final CellCursor cursor;
    private boolean closed;

    private FaultyCursor(CellCursor cursor) {
      this.cursor = cursor;
    }

    @Override
    public boolean next(CellBatch into) {
      dawdle();
      boolean timedOut = waitTimesOut();
      if (timedOut || happens(often().readFails())) {
        into.clear();
        throw timedOut ? noAnswer() : new StoreException("the read broke off");
      }
      return cursor.next(into);
    }

    @Override
    public @Nullable ResumeToken token() {
      return cursor.token();
    }

    @Override
    public ReadCost cost() {
      return cursor.cost();
    }

    @Override
    public void cancel() {
      cursor.cancel();
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        openCursors.decrementAndGet();
      }
      cursor.close();
    }
  }
}
