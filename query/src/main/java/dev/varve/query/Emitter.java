package dev.varve.query;

import dev.varve.model.Kind;
import dev.varve.model.Samples;
import org.jspecify.annotations.Nullable;

/**
 * Collects single samples into vectors for a sink. A vector is passed on when it is full, when a
 * sample of another kind follows, and on {@link #flush}.
 */
final class Emitter {
  private static final int VECTOR = 1024;

  private final ResultSink sink;
  private final Samples doubles = new Samples(Kind.DOUBLE);
  private final Samples longs = new Samples(Kind.INT64);
  private final Samples texts = new Samples(Kind.STRING);
  private @Nullable Samples open;

  Emitter(ResultSink sink) {
    this.sink = sink;
  }

  void add(long time, double value) {
    vector(doubles).add(time, value, 0);
  }

  void add(long time, long value) {
    vector(longs).add(time, value, 0);
  }

  void add(long time, byte[] utf8) {
    vector(texts).add(time, utf8, 0, utf8.length, 0);
  }

  void addFrom(Samples samples, int index) {
    vectorOf(samples.kind()).addFrom(samples, index);
  }

  /** Flushes, then passes on part of another vector without copying it. */
  void pass(Samples samples, int from, int to) {
    if (from < to) {
      flush();
      sink.samples(samples, from, to);
    }
  }

  void gap(long time) {
    flush();
    sink.gap(time);
  }

  void flush() {
    Samples full = open;
    open = null;
    if (full != null && !full.isEmpty()) {
      sink.samples(full, 0, full.size());
      full.clear();
    }
  }

  private Samples vectorOf(Kind kind) {
    return switch (kind) {
      case DOUBLE -> vector(doubles);
      case INT64 -> vector(longs);
      case STRING -> vector(texts);
    };
  }

  private Samples vector(Samples wanted) {
    if (open != wanted || wanted.size() >= VECTOR) {
      flush();
      open = wanted;
    }
    return wanted;
  }
}
