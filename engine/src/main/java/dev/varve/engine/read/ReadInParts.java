package dev.varve.engine.read;

import dev.varve.engine.request.PartedRead;
import dev.varve.engine.request.RunCursor;
import dev.varve.model.Run;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.ReadCost;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A reading in parts; each part is a stream over some of the matching series. */
final class ReadInParts implements PartedRead {
  private final Reading whole;
  private final Function<Reading, RunStream> stream;
  private final Set<Part> open = ConcurrentHashMap.newKeySet();
  private volatile boolean cancelled;

  /**
   * A stream over all series if it was started as one part; null once {@link #part} has returned
   * it.
   */
  private @Nullable RunStream all;

  private final int leastPart;

  /** Guarded by this. */
  private ReadCost closed = ReadCost.NOTHING;

  /**
   * @param stream starts a stream
   * @param mayBeBestWhole whether to check if one part for all series is best
   * @param leastPart recommended minimum number of series of a part if several parts are better
   */
  ReadInParts(
      Reading whole, Function<Reading, RunStream> stream, boolean mayBeBestWhole, int leastPart) {
    this.whole = whole;
    this.stream = stream;
    this.all =
        mayBeBestWhole && whole.matches().size() <= GatheredRuns.SERIES_MAX
            ? stream.apply(whole)
            : null;
    this.leastPart = all != null && all.gathersAll() ? whole.matches().size() : leastPart;
  }

  @Override
  public int leastPart() {
    return leastPart;
  }

  @Override
  public int size() {
    return whole.matches().size();
  }

  @Override
  public RunCursor part(int from, int to) {
    if (cancelled) {
      throw new ReadCancelledException();
    }
    RunStream begun = to - from == size() ? takeAll() : null;
    Part part = new Part(begun != null ? begun : stream.apply(whole.part(from, to, cost())));
    open.add(part);
    if (cancelled) {
      part.cancel();
    }
    return part;
  }

  private synchronized @Nullable RunStream takeAll() {
    RunStream begun = all;
    all = null;
    return begun;
  }

  @Override
  public synchronized ReadCost cost() {
    return closed;
  }

  private synchronized void close(Part part) {
    if (open.remove(part)) {
      closed = closed.plus(part.cost());
      part.stream.close();
    }
  }

  @Override
  public void cancel() {
    cancelled = true;
    open.forEach(Part::cancel);
  }

  @Override
  public void close() {
    whole.close();
  }

  private final class Part implements RunCursor {
    private final RunStream stream;

    private Part(RunStream stream) {
      this.stream = stream;
    }

    @Override
    public @Nullable Run next() {
      return stream.next();
    }

    @Override
    public ReadCost cost() {
      return stream.cost();
    }

    @Override
    public void cancel() {
      stream.cancel();
    }

    @Override
    public void close() {
      ReadInParts.this.close(this);
    }
  }
}
