package dev.varve.query;

import dev.varve.model.Kind;
import dev.varve.model.Samples;
import java.util.Arrays;

/** The first or the last sample, in its kind. */
final class PickFold extends Fold {
  private static final byte[] NO_TEXT = {};

  private final boolean first;
  private Kind[] kinds = {};
  private boolean[] taken = {};
  private double[] reals = {};
  private long[] wholes = {};
  private byte[][] texts = {};

  PickFold(boolean first) {
    this.first = first;
  }

  @Override
  void reset(int slot) {
    if (slot >= kinds.length) {
      int length = capacity(slot);
      int old = kinds.length;
      kinds = Arrays.copyOf(kinds, length);
      taken = Arrays.copyOf(taken, length);
      reals = Arrays.copyOf(reals, length);
      wholes = Arrays.copyOf(wholes, length);
      texts = Arrays.copyOf(texts, length);
      Arrays.fill(texts, old, length, NO_TEXT);
    }
    taken[slot] = false;
  }

  @Override
  void add(int slot, Samples samples, int from, int to) {
    if (first && taken[slot]) {
      return;
    }
    int index = first ? from : to - 1;
    taken[slot] = true;
    kinds[slot] = samples.kind();
    switch (samples.kind()) {
      case DOUBLE -> reals[slot] = samples.doubleAt(index);
      case INT64 -> wholes[slot] = samples.longAt(index);
      case STRING ->
          texts[slot] =
              Arrays.copyOfRange(samples.text(), samples.textStart(index), samples.textEnd(index));
    }
  }

  @Override
  void emit(int slot, long time, Emitter out) {
    switch (kinds[slot]) {
      case DOUBLE -> out.add(time, reals[slot]);
      case INT64 -> out.add(time, wholes[slot]);
      case STRING -> out.add(time, texts[slot]);
    }
  }

  /** An element of each array: kind, taken, number twice, and a reference without its text. */
  @Override
  int bytesPerSlot() {
    return Integer.BYTES + 1 + 2 * Long.BYTES + Long.BYTES;
  }
}
