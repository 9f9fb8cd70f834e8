package dev.varve.query;

import dev.varve.model.Kind;
import dev.varve.model.Samples;
import java.util.Collection;

/**
 * Merges the samples of several strands in order of time, then of value, then of strand, or in
 * exactly the reverse order. Texts at the same instant count as equal.
 *
 * <p>A binary heap orders the strands by their next samples. The times and values of these lie in
 * arrays of their own. A step costs two comparisons per level and accesses only the strand that
 * advances.
 */
final class StrandHeap {
  private final boolean descending;
  private final Samples[] samples;

  /** Index of the next sample of each strand. */
  private final int[] at;

  /** Time of the next sample of each strand, complemented if the newest comes first. */
  private final long[] times;

  private final double[] numbers;

  /** Heap of strands that have samples left; the next one is at index 0. */
  private final int[] heap;

  private int size;

  StrandHeap(Collection<Samples> strands, boolean descending) {
    this.descending = descending;
    this.samples = strands.toArray(Samples[]::new);
    this.at = new int[samples.length];
    this.times = new long[samples.length];
    this.numbers = new double[samples.length];
    this.heap = new int[samples.length];
    for (int strand = 0; strand < samples.length; strand++) {
      if (!samples[strand].isEmpty()) {
        at[strand] = descending ? samples[strand].size() - 1 : 0;
        look(strand);
        heap[size++] = strand;
      }
    }
    for (int index = size / 2 - 1; index >= 0; index--) {
      sink(index);
    }
  }

  /** Emits all samples. */
  void into(Emitter out) {
    while (size > 0) {
      int strand = heap[0];
      out.addFrom(samples[strand], at[strand]);
      at[strand] += descending ? -1 : 1;
      if (at[strand] >= 0 && at[strand] < samples[strand].size()) {
        look(strand);
      } else {
        heap[0] = heap[--size];
      }
      sink(0);
    }
    out.flush();
  }

  private void look(int strand) {
    Samples of = samples[strand];
    long time = of.time(at[strand]);
    times[strand] = descending ? ~time : time;
    numbers[strand] = of.kind() == Kind.STRING ? 0 : of.number(at[strand]);
  }

  /** Sifts the strand at a position down. */
  private void sink(int from) {
    int strand = heap[from];
    int index = from;
    for (int below = 2 * index + 1; below < size; below = 2 * index + 1) {
      if (below + 1 < size && isBefore(heap[below + 1], heap[below])) {
        below++;
      }
      if (!isBefore(heap[below], strand)) {
        break;
      }
      heap[index] = heap[below];
      index = below;
    }
    heap[index] = strand;
  }

  private boolean isBefore(int a, int b) {
    if (times[a] != times[b]) {
      return times[a] < times[b];
    }
    int order = Double.compare(numbers[a], numbers[b]);
    int forwards = order == 0 ? Integer.compare(a, b) : order;
    return descending ? forwards > 0 : forwards < 0;
  }
}
