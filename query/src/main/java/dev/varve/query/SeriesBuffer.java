package dev.varve.query;

import dev.varve.model.Kind;
import dev.varve.model.Samples;
import dev.varve.query.limit.Memory;
import java.util.Arrays;

/** Samples and gaps of one series, buffered in order. */
final class SeriesBuffer {
  /** Time, value and stamp, in a vector that grows by doubling. */
  private static final long BYTES_PER_SAMPLE = 32;

  private static final int GAP = Kind.values().length;

  private final Samples[] vectors = new Samples[GAP + 1];
  private final Memory memory;
  private final String what;
  private byte[] order = new byte[16];
  private int size;
  private long bytes;

  /**
   * Creates an empty buffer.
   *
   * @param what what uses the memory and how to need less, for the error if memory runs out
   */
  SeriesBuffer(Memory memory, String what) {
    this.memory = memory;
    this.what = what;
  }

  /** Returns the slot of a kind in arrays with one slot per kind, from 0. */
  static int slot(Kind kind) {
    return switch (kind) {
      case INT64 -> 0;
      case DOUBLE -> 1;
      case STRING -> 2;
    };
  }

  void add(Samples samples, int from, int to) {
    long more = BYTES_PER_SAMPLE * (to - from);
    if (samples.kind() == Kind.STRING && from < to) {
      more += samples.textEnd(to - 1) - samples.textStart(from);
    }
    memory.hold(more, what);
    bytes += more;
    Samples target = vector(slot(samples.kind()), samples.kind());
    for (int i = from; i < to; i++) {
      target.addFrom(samples, i);
    }
    mark(slot(samples.kind()), to - from);
  }

  void addGap(long time) {
    memory.hold(BYTES_PER_SAMPLE, what);
    bytes += BYTES_PER_SAMPLE;
    vector(GAP, Kind.INT64).add(time, 0L, 0);
    mark(GAP, 1);
  }

  int size() {
    return size;
  }

  /** Returns the last number; NaN if the last sample is not a number. */
  double lastNumber() {
    if (size == 0 || order[size - 1] == GAP || order[size - 1] == slot(Kind.STRING)) {
      return Double.NaN;
    }
    Samples vector = vectors[order[size - 1]];
    return vector.number(vector.size() - 1);
  }

  void replay(Emitter out) {
    int[] next = new int[vectors.length];
    for (int i = 0; i < size; i++) {
      emit(order[i], next[order[i]]++, out);
    }
    out.flush();
  }

  void replayBackwards(Emitter out) {
    int[] next = new int[vectors.length];
    for (int i = 0; i < next.length; i++) {
      next[i] = vectors[i] == null ? 0 : vectors[i].size();
    }
    for (int i = size - 1; i >= 0; i--) {
      emit(order[i], --next[order[i]], out);
    }
    out.flush();
  }

  void clear() {
    for (Samples vector : vectors) {
      if (vector != null) {
        vector.clear();
      }
    }
    size = 0;
    memory.release(bytes);
    bytes = 0;
  }

  private void emit(int kind, int index, Emitter out) {
    if (kind == GAP) {
      out.gap(vectors[GAP].time(index));
    } else {
      out.addFrom(vectors[kind], index);
    }
  }

  private Samples vector(int slot, Kind kind) {
    if (vectors[slot] == null) {
      vectors[slot] = new Samples(kind);
    }
    return vectors[slot];
  }

  private void mark(int kind, int count) {
    if (size + count > order.length) {
      order = Arrays.copyOf(order, Math.max(size + count, 2 * order.length));
    }
    Arrays.fill(order, size, size + count, (byte) kind);
    size += count;
  }
}
