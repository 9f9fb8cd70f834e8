package dev.varve.query;

import dev.varve.engine.request.RunCursor;
import dev.varve.model.Kind;
import dev.varve.model.Run;
import dev.varve.model.Samples;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.query.QueryPlan.Merge;
import dev.varve.query.limit.Memory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The samples of a read, by series, as far as they fit into memory. Several threads read, each a
 * subset of the series.
 */
final class Gathering {
  /** Time, value and stamp, in a vector that grows by doubling. */
  private static final long BYTES_PER_SAMPLE = 32;

  private static final long BYTES_PER_STRAND = 1024;

  /** This fraction of the memory stays free for planning the next reads. */
  private static final int HEADROOM = 16;

  /** Samples of one series and kind, in order of time. */
  static final class Strand {
    private Samples samples;

    /** Indexes at which its runs begin. */
    private final List<Integer> runs = new ArrayList<>();

    private Strand(Kind kind) {
      samples = new Samples(kind);
    }

    Samples samples() {
      return samples;
    }

    boolean isText() {
      return samples.kind() == Kind.STRING;
    }

    private void append(Strand later) {
      int size = samples.size();
      later.runs.forEach(start -> runs.add(size + start));
      samples.addAll(later.samples, 0, later.samples.size());
    }

    /** Reverses runs that arrived newest first into order of time. */
    private void settle() {
      if (runs.size() < 2) {
        return;
      }
      Samples settled = new Samples(samples.kind());
      int end = samples.size();
      for (int start : runs.reversed()) {
        settled.addAll(samples, start, end);
        end = start;
      }
      samples = settled;
    }
  }

  /** One series as read by one thread. */
  private record Gathered(Series series, @Nullable Strand[] strands) {
    Gathered(Series series) {
      this(series, new Strand[Kind.values().length]);
    }
  }

  private final Merge merge;
  private final Memory memory;
  private final Map<Series, List<Strand>> strands = new LinkedHashMap<>();
  private final AtomicLong held = new AtomicLong();

  Gathering(Merge merge, Memory memory) {
    this.merge = merge;
    this.memory = memory;
  }

  /**
   * Reads all samples. Returns false if they do not fit into memory; the samples read so far then
   * show where to split.
   */
  boolean gather(QueryRun run, Selector selector, TimeRange times) {
    boolean all = run.read(merge.input(), selector, times, this::read, this::keep);
    if (all && merge.input().newest() > 0) {
      strands.values().forEach(ofSeries -> ofSeries.forEach(Strand::settle));
    }
    return all;
  }

  /** Reads some series. Returns false when the memory is full. */
  private boolean read(RunCursor cursor, Consumer<Gathered> into) {
    Gathered open = null;
    for (Run run = cursor.next(); run != null; run = cursor.next()) {
      if (open == null || !run.series().equals(open.series)) {
        if (open != null) {
          into.accept(open);
        }
        open = new Gathered(run.series());
      }
      if (!take(open.strands, run.samples())) {
        into.accept(open);
        return false;
      }
    }
    if (open != null) {
      into.accept(open);
    }
    return true;
  }

  private boolean take(@Nullable Strand[] of, Samples samples) {
    int slot = SeriesBuffer.slot(samples.kind());
    Strand strand = of[slot];
    if (strand == null) {
      if (!hold(BYTES_PER_STRAND)) {
        return false;
      }
      strand = new Strand(samples.kind());
      of[slot] = strand;
    }
    int count = samples.size();
    if (merge.perSeries() > 0 && !merge.descending()) {
      count = Math.min(count, merge.perSeries() - strand.samples.size());
    }
    if (count == 0) {
      return true;
    }
    long bytes = BYTES_PER_SAMPLE * count;
    if (samples.kind() == Kind.STRING) {
      bytes += samples.textEnd(count - 1);
    }
    if (!hold(bytes)) {
      return false;
    }
    strand.runs.add(strand.samples.size());
    strand.samples.addAll(samples, 0, count);
    return true;
  }

  private boolean hold(long bytes) {
    if (!memory.tryHoldWithin(memory.max() - memory.max() / HEADROOM, bytes)) {
      return false;
    }
    held.addAndGet(bytes);
    return true;
  }

  private void keep(Gathered one) {
    List<Strand> kept = strands.computeIfAbsent(one.series, series -> new ArrayList<>(1));
    for (Strand strand : one.strands) {
      if (strand != null) {
        keep(strand, kept);
      }
    }
  }

  /**
   * Adds a strand. A series may arrive in several pieces if the catalog does not know its fields.
   */
  private static void keep(Strand strand, List<Strand> kept) {
    for (Strand before : kept) {
      if (before.samples.kind() == strand.samples.kind()) {
        before.append(strand);
        return;
      }
    }
    kept.add(strand);
  }

  /** Returns the strands of each series, in the order in which series are read. */
  Map<Series, List<Strand>> strands() {
    return strands;
  }

  /**
   * Returns the number of series that would need the memory held, counting series that are only
   * partly read.
   */
  int seriesSeen() {
    long handedOn = 0;
    for (List<Strand> ofSeries : strands.values()) {
      for (Strand strand : ofSeries) {
        handedOn += BYTES_PER_STRAND + BYTES_PER_SAMPLE * strand.samples.size();
      }
    }
    double share = Math.max(1, (double) held.get() / Math.max(1, handedOn));
    return (int) Math.min(Integer.MAX_VALUE, strands.size() * share);
  }

  /** Returns the number of bytes held. */
  long held() {
    return held.get();
  }

  void release() {
    memory.release(held.getAndSet(0));
    strands.clear();
  }

  /** Returns the number of samples, at most {@code perSeries} of each series and kind. */
  long counted() {
    long count = 0;
    for (List<Strand> ofSeries : strands.values()) {
      for (Strand strand : ofSeries) {
        int size = strand.samples.size();
        count += merge.perSeries() > 0 ? Math.min(size, merge.perSeries()) : size;
      }
    }
    return count;
  }

  /**
   * Returns the time at the given share of the samples read, counted from the end that is read
   * first. Returns null if there are no samples.
   */
  @Nullable Long timeAt(double share) {
    long[] seen = new long[4096];
    int size = 0;
    long total = Math.max(1, held.get() / BYTES_PER_SAMPLE);
    int step = (int) Math.max(1, total / seen.length + 1);
    for (List<Strand> ofSeries : strands.values()) {
      for (Strand strand : ofSeries) {
        for (int i = 0; i < strand.samples.size(); i += step) {
          if (size == seen.length) {
            seen = Arrays.copyOf(seen, 2 * size);
          }
          seen[size++] = strand.samples.time(i);
        }
      }
    }
    if (size == 0) {
      return null;
    }
    Arrays.sort(seen, 0, size);
    int at = Math.clamp((long) (share * size), 0, size - 1);
    return seen[merge.descending() ? size - 1 - at : at];
  }
}
