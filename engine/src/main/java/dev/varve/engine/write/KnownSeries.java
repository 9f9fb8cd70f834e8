package dev.varve.engine.write;

import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.layout.Binding;
import dev.varve.layout.RefusedException;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.TimeRange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A series that is written to: its bindings to layouts, and its state in the catalog. Further
 * writes to it need no lookup. Safe for use by several threads.
 */
final class KnownSeries {
  private final GroupKey key;
  private final SeriesIdentity identity;
  private final long forgotten;
  private final AtomicReferenceArray<Binding> bindings;
  private volatile KeyState state;

  /**
   * The durable state of a key in the catalog.
   *
   * @param series number of the key in the index; -1 if the catalog lacks it
   * @param fields fields with the kinds of their samples
   * @param extent range of times in which the key may have samples
   * @param removals number of keys that the catalog had removed when the state was read
   */
  record KeyState(int series, FieldKinds fields, TimeRange extent, long removals) {
    /** Returns the state of a key that the catalog lacks. */
    static KeyState nothing(long removals) {
      return new KeyState(-1, FieldKinds.NONE, new TimeRange(0, 0), removals);
    }

    /** Returns the present state of a key. */
    static KeyState of(SeriesIdentity identity, SeriesIndex index) {
      // Read first: a removal meanwhile then makes the state outdated.
      long removals = index.removals();
      int series = index.find(identity);
      if (series < 0) {
        return nothing(removals);
      }
      List<FieldKinds.Field> fields = new ArrayList<>();
      for (String field : index.fields(series)) {
        for (Kind kind : Kind.values()) {
          if (index.hasField(series, field, kind)) {
            fields.add(new FieldKinds.Field(field, kind));
          }
        }
      }
      return new KeyState(series, FieldKinds.NONE.with(fields), index.extent(series), removals);
    }

    boolean has(String field, Kind kind) {
      return fields.has(field, kind);
    }

    boolean covers(long first, long last) {
      return first >= extent.from() && last < extent.to();
    }
  }

  /**
   * @param forgotten how often names had been forgotten before the series was looked up
   * @param slots number of layouts that it may be bound to
   */
  KnownSeries(GroupKey key, SeriesIdentity identity, long forgotten, int slots, KeyState state) {
    this.key = key;
    this.identity = identity;
    this.forgotten = forgotten;
    this.bindings = new AtomicReferenceArray<>(slots);
    this.state = state;
  }

  /** Returns the key as it is stored, with resource identifiers apart from tags. */
  GroupKey key() {
    return key;
  }

  SeriesIdentity identity() {
    return identity;
  }

  /** Returns how often names had been forgotten before any of its bindings was made. */
  long forgotten() {
    return forgotten;
  }

  /** Returns the state that was read last. */
  KeyState state() {
    return state;
  }

  /** Returns the state, which is read again if the catalog has removed keys since. */
  KeyState state(SeriesIndex index) {
    KeyState known = state;
    if (known.removals() != index.removals()) {
      known = KeyState.of(identity, index);
      state = known;
    }
    return known;
  }

  /**
   * Sets the state. If two threads set it at the same time, one of the states may be lost; the next
   * write then repeats its edits.
   */
  void state(KeyState now) {
    state = now;
  }

  /**
   * Returns the binding of the key to a layout, and creates it if necessary.
   *
   * @throws RefusedException if the layout rejects the key
   */
  Binding binding(PlacedLayout layout) {
    Binding known = bindings.get(layout.slot());
    if (known != null) {
      return known;
    }
    Binding made = layout.bind(key);
    bindings.set(layout.slot(), made);
    return made;
  }
}
