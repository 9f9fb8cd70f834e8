package dev.varve.query;

import dev.varve.engine.request.PartedRead;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Samples;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.query.running.Runs;
import dev.varve.store.Budget;
import dev.varve.store.ReadCost;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Caches the reads of a dataset that does not change: the first read of each kind goes to the
 * store, later ones return its result. Many queries of a slow store then only take the time of
 * their distinct reads.
 */
public final class ReadOnce implements Runs {
  private final Runs runs;
  private final Map<ReadRequest, Remembered> reads = new ConcurrentHashMap<>();

  public ReadOnce(Runs runs) {
    this.runs = runs;
  }

  @Override
  public Resolution resolution() {
    return runs.resolution();
  }

  @Override
  public RunCursor read(ReadRequest request) {
    return runs.read(request);
  }

  @Override
  public Stream<Series> series(Selector selector, TimeRange times) {
    return runs.series(selector, times);
  }

  @Override
  public PartedRead readInParts(ReadRequest request) {
    // The remaining budget of a query does not affect what it reads.
    Remembered remembered = reads.get(request.with(Budget.UNLIMITED));
    if (remembered != null) {
      return new Parts(request, remembered, null);
    }
    PartedRead read = runs.readInParts(request);
    Remembered fresh = new Remembered(read.size(), read.leastPart(), new ConcurrentHashMap<>());
    reads.put(request.with(Budget.UNLIMITED), fresh);
    return new Parts(request, fresh, read);
  }

  private record Part(int from, int to) {}

  /** The known part of a read: the parts that were read to their end. */
  private record Remembered(int size, int leastPart, Map<Part, List<Run>> parts) {}

  private final class Parts implements PartedRead {
    private final ReadRequest request;
    private final Remembered remembered;
    private @Nullable PartedRead read;

    private Parts(ReadRequest request, Remembered remembered, @Nullable PartedRead read) {
      this.request = request;
      this.remembered = remembered;
      this.read = read;
    }

    @Override
    public int size() {
      return remembered.size();
    }

    @Override
    public int leastPart() {
      return remembered.leastPart();
    }

    @Override
    public RunCursor part(int from, int to) {
      Part part = new Part(from, to);
      List<Run> known = remembered.parts().get(part);
      return known == null
          ? new Remembering(begun().part(from, to), part, remembered)
          : new Given(known.iterator());
    }

    private synchronized PartedRead begun() {
      if (read == null) {
        read = runs.readInParts(request);
      }
      return read;
    }

    @Override
    public synchronized ReadCost cost() {
      return read == null ? ReadCost.NOTHING : read.cost();
    }

    @Override
    public synchronized void cancel() {
      if (read != null) {
        read.cancel();
      }
    }

    @Override
    public synchronized void close() {
      if (read != null) {
        read.close();
      }
    }
  }

  /** Reads a part and caches its runs. */
  private static final class Remembering implements RunCursor {
    private final RunCursor cursor;
    private final Part part;
    private final Remembered into;
    private final List<Run> read = new ArrayList<>();

    private Remembering(RunCursor cursor, Part part, Remembered into) {
      this.cursor = cursor;
      this.part = part;
      this.into = into;
    }

    @Override
    public @Nullable Run next() {
      Run run = cursor.next();
      if (run == null) {
        into.parts().put(part, read);
        return null;
      }
      Samples samples = new Samples(run.samples().kind());
      samples.addAll(run.samples(), 0, run.samples().size());
      read.add(new Run(run.series(), samples, run.precedence(), run.summary()));
      return run;
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
      cursor.close();
    }
  }

  private static final class Given implements RunCursor {
    private final Iterator<Run> runs;

    private Given(Iterator<Run> runs) {
      this.runs = runs;
    }

    @Override
    public @Nullable Run next() {
      return runs.hasNext() ? runs.next() : null;
    }

    @Override
    public ReadCost cost() {
      return ReadCost.NOTHING;
    }

    @Override
    public void cancel() {}

    @Override
    public void close() {}
  }
}
