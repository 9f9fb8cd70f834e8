package dev.varve.engine.fill;

import dev.varve.model.Column;
import dev.varve.model.Kind;
import dev.varve.model.SampleGroup;
import dev.varve.model.Samples;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Distinct instants of one series, in order, and a value at some of them. For one thread. */
final class Instants {
  private final long[] times;
  private final @Nullable Kind[] kinds;

  /** The value of a number: the int64, or the bits of the double. */
  private final long[] bits;

  /** The values of strings in UTF-8; empty until there is one. */
  private byte[][] texts = {};

  private Instants(long[] times) {
    this.times = times;
    this.kinds = new @Nullable Kind[times.length];
    this.bits = new long[times.length];
  }

  /** Returns the samples of a field of a group; of several at one instant the last one counts. */
  static Instants of(SampleGroup group, String field) {
    List<Column> columns =
        group.columns().stream().filter(column -> column.field().equals(field)).toList();
    long[] times = new long[group.size()];
    int count = 0;
    for (int slot = 0; slot < group.size(); slot++) {
      int at = slot;
      if (columns.stream().anyMatch(column -> column.has(at))) {
        times[count++] = group.times()[slot];
      }
    }
    Instants instants = new Instants(Arrays.stream(times, 0, count).sorted().distinct().toArray());
    for (int slot = 0; slot < group.size(); slot++) {
      for (Column column : columns) {
        if (column.has(slot)) {
          instants.put(group.times()[slot], column, slot);
        }
      }
    }
    return instants;
  }

  /** Returns the same instants without values. */
  Instants blank() {
    return new Instants(times);
  }

  int size() {
    return times.length;
  }

  long time(int index) {
    return times[index];
  }

  boolean has(int index) {
    return kinds[index] != null;
  }

  /** Returns whether there is a value at a time. */
  boolean hasAt(long time) {
    int index = Arrays.binarySearch(times, time);
    return index >= 0 && has(index);
  }

  private void put(long time, Column column, int slot) {
    int index = Arrays.binarySearch(times, time);
    switch (column) {
      case Column.Longs longs -> put(index, Kind.INT64, longs.values()[slot]);
      case Column.Doubles doubles ->
          put(index, Kind.DOUBLE, Double.doubleToRawLongBits(doubles.values()[slot]));
      case Column.Texts texts ->
          put(index, Arrays.copyOfRange(texts.bytes(), texts.start(slot), texts.end(slot)));
    }
  }

  /** Takes over those samples whose time is one of the instants. */
  void put(Samples samples) {
    for (int i = 0; i < samples.size(); i++) {
      int index = Arrays.binarySearch(times, samples.time(i));
      if (index < 0) {
        continue;
      }
      switch (samples.kind()) {
        case INT64 -> put(index, Kind.INT64, samples.longAt(i));
        case DOUBLE -> put(index, Kind.DOUBLE, Double.doubleToRawLongBits(samples.doubleAt(i)));
        case STRING ->
            put(
                index,
                Arrays.copyOfRange(samples.text(), samples.textStart(i), samples.textEnd(i)));
      }
    }
  }

  private void put(int index, Kind kind, long value) {
    kinds[index] = kind;
    bits[index] = value;
  }

  private void put(int index, byte[] utf8) {
    if (texts.length == 0) {
      texts = new byte[times.length][];
    }
    kinds[index] = Kind.STRING;
    texts[index] = utf8;
  }

  /** Returns whether another has an equal value at the same index. */
  boolean equals(Instants other, int index) {
    Kind kind = kinds[index];
    return kind == other.kinds[index]
        && (kind == null
            || (kind == Kind.STRING
                ? Arrays.equals(texts[index], other.texts[index])
                : bits[index] == other.bits[index]));
  }

  /** Adds the sample at an index, which has a value, to a digest. */
  void addTo(SampleDigest digest, int index) {
    Kind kind = kinds[index];
    if (kind == Kind.STRING) {
      digest.add(times[index], texts[index]);
    } else if (kind != null) {
      digest.add(times[index], kind, bits[index]);
    }
  }
}
