package dev.varve.engine.write;

import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.engine.home.ChangeTable;
import dev.varve.engine.home.SeriesTable;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.tables.Applier;
import dev.varve.engine.write.FieldKinds.Field;
import dev.varve.engine.write.KnownSeries.KeyState;
import dev.varve.model.Column;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.MutationBatch;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The additions to the catalog that a batch makes: new series, fields, extents and numbers. They
 * become edits of the home and, once these are applied, entries of the index. For one thread, which
 * holds the lock of writers from the first {@link #add} until the samples are written: a key is
 * removed only while nobody writes.
 */
final class SeriesNotes {
  /**
   * Growth of a series' number of samples after which the home is updated: the planner's estimates
   * after a restart stay within a factor of two.
   */
  private static final double RECOUNT = 1.5;

  /**
   * The additions to one series.
   *
   * @param samples total number of its samples, written with its extent
   */
  private record Note(
      KnownSeries series, List<Field> fields, @Nullable TimeRange extent, long samples) {}

  /** A series that gets its number with this batch. */
  private record Numbered(KnownSeries series, String field, int number) {}

  /**
   * What is known of a new series before its number, with which it takes one cell instead of four.
   */
  private record Fresh(
      KnownSeries series, Field field, TimeRange extent, long samples, long stamp) {}

  private final OpenDataset dataset;
  private final MutationBatch edits = new MutationBatch();
  private final List<Note> notes = new ArrayList<>(0);
  private final List<Numbered> numbered = new ArrayList<>(0);
  private @Nullable Fresh fresh;

  SeriesNotes(OpenDataset dataset) {
    this.dataset = dataset;
  }

  /**
   * Writes the additions to the home and announces them to other servers, before any sample is
   * written: samples of a write that fails may still be stored, and once one reader has seen them
   * every reader must find them.
   *
   * @return false if the store rejects it
   * @throws dev.varve.engine.error.WriteFailedException if the store failed
   */
  boolean apply(Applier home) {
    addFresh();
    if (edits.isEmpty()) {
      return true;
    }
    dataset.tellOthers(identities());
    long since = System.nanoTime();
    boolean applied = home.apply(edits, edits.size(), dataset.earlier()).isEmpty();
    if (System.nanoTime() - since > ChangeTable.MADE_WITHIN.toNanos()) {
      dataset.tellOthers(identities());
    }
    if (applied) {
      remember();
    }
    return applied;
  }

  private List<SeriesIdentity> identities() {
    return notes.stream().map(note -> note.series().identity()).distinct().toList();
  }

  /** Collects the additions of a part of which the layout accepted samples. */
  void add(Part part, long stamp) {
    KeyState state = state(part.series());
    List<Field> fields = newFields(part, state);
    long first = part.first();
    long last = part.last();
    long samples = part.accepted();
    boolean recount = false;
    if (state.series() >= 0) {
      samples += dataset.index().count(state.series());
      recount = samples >= RECOUNT * dataset.index().notedCount(state.series());
    }
    TimeRange extent =
        !state.covers(first, last)
            ? extent(part.series(), state, first, last)
            : recount ? state.extent() : null;
    if (state.series() >= 0 && fields.isEmpty() && extent == null) {
      return;
    }
    addFresh();
    List<Field> others = fields;
    if (state.series() < 0 && extent != null && !fields.isEmpty()) {
      fresh = new Fresh(part.series(), fields.getFirst(), extent, samples, stamp);
      others = fields.subList(1, fields.size());
    } else {
      addKey(part.series(), stamp);
      if (extent != null) {
        SeriesTable.putExtent(edits, part.series().identity(), extent, samples, stamp);
      }
    }
    for (Field field : others) {
      putField(part.series(), field, stamp);
    }
    notes.add(new Note(part.series(), fields, extent, samples));
  }

  private void putField(KnownSeries series, Field field, long stamp) {
    SeriesTable.putField(edits, series.identity(), field.name(), field.kind(), stamp);
  }

  /** Adds what is known of the last new series, which got no number since. */
  private void addFresh() {
    Fresh one = fresh;
    if (one != null) {
      SeriesTable.putKey(edits, one.series().identity(), one.series().key(), one.stamp());
      putField(one.series(), one.field(), one.stamp());
      SeriesTable.putExtent(
          edits, one.series().identity(), one.extent(), one.samples(), one.stamp());
      fresh = null;
    }
  }

  /**
   * Returns the state of a series in the catalog, which may have removed it since it was cached.
   */
  private KeyState state(KnownSeries series) {
    return series.state(dataset.index());
  }

  /**
   * Returns the durable number of a field of a series, which is assigned if it has none. Called
   * after {@link #add} for the same series.
   */
  int number(KnownSeries series, String field, long stamp) {
    SeriesNumbers known = dataset.index().numbers();
    int key = state(series).series();
    int number = key < 0 ? SeriesNumbers.NONE : known.find(key, field);
    if (number != SeriesNumbers.NONE) {
      return number;
    }
    number = known.assign(key, series.identity(), series.key().metric(), field);
    int keySince = key < 0 ? dataset.index().find(series.identity()) : key;
    int settled = keySince < 0 ? SeriesNumbers.NONE : known.find(keySince, field);
    if (settled != SeriesNumbers.NONE) {
      // Another write has made the series since: only its number is found by readers.
      known.settle(keySince, series.identity(), field, settled);
      return settled;
    }
    putNumber(series, field, number, stamp);
    numbered.add(new Numbered(series, field, number));
    return number;
  }

  private void putNumber(KnownSeries series, String field, int number, long stamp) {
    int metric = dataset.index().numbers().metric(number);
    Fresh one = fresh;
    if (one != null && one.series() == series && one.field().name().equals(field)) {
      SeriesTable.putWhole(
          edits,
          series.identity(),
          new SeriesTable.Whole(
              series.key(), field, one.field().kind(), one.extent(), one.samples(), number, metric),
          stamp);
      fresh = null;
    } else {
      SeriesTable.putNumber(edits, series.identity(), field, number, metric, stamp);
    }
  }

  /**
   * Adds a key that has an attribute and perhaps no sample. The extent covers the attribute, too:
   * if rows have times, only the extent shows which rows a key may have.
   *
   * @param time of the attribute; null if it has none
   */
  void addAttribute(KnownSeries series, @Nullable Long time, long stamp) {
    KeyState state = state(series);
    TimeRange extent =
        time == null || state.covers(time, time) ? null : extent(series, state, time, time);
    if (state.series() >= 0 && extent == null) {
      return;
    }
    addKey(series, stamp);
    long samples = state.series() < 0 ? 0 : dataset.index().count(state.series());
    if (extent != null) {
      SeriesTable.putExtent(edits, series.identity(), extent, samples, stamp);
    }
    notes.add(new Note(series, List.of(), extent, samples));
  }

  private void addKey(KnownSeries series, long stamp) {
    if (state(series).series() < 0) {
      SeriesTable.putKey(edits, series.identity(), series.key(), stamp);
    }
  }

  private static List<Field> newFields(Part part, KeyState state) {
    List<Column> columns = part.group().columns();
    List<Field> fields = List.of();
    for (int c = 0; c < columns.size(); c++) {
      Column column = columns.get(c);
      if (!state.has(column.field(), column.kind()) && part.isAccepted(c)) {
        fields = fields.isEmpty() ? new ArrayList<>() : fields;
        fields.add(new Field(column.field(), column.kind()));
      }
    }
    return fields;
  }

  private TimeRange extent(KnownSeries series, KeyState state, long first, long last) {
    Resolution resolution = dataset.resolution();
    return Extents.grown(state.extent(), first, last, resolution, series.identity().high());
  }

  /**
   * Adds the applied additions to the index. They are as durable as everything that is written
   * after them, so another writer that finds them in the index need not write them again.
   */
  private void remember() {
    SeriesIndex index = dataset.index();
    for (Note note : notes) {
      int number = index.add(note.series().identity(), note.series().key());
      for (Field field : note.fields()) {
        index.addField(number, field.name(), field.kind());
      }
      if (note.extent() != null) {
        index.extend(number, note.extent());
        index.notedCount(number, note.samples());
      }
      note.series().state(after(note, number));
    }
    for (Numbered one : numbered) {
      SeriesIdentity identity = one.series().identity();
      index.numbers().settle(index.find(identity), identity, one.field(), one.number());
    }
  }

  private KeyState after(Note note, int number) {
    KeyState before = state(note.series());
    List<Field> added =
        note.fields().stream().filter(field -> !before.has(field.name(), field.kind())).toList();
    return new KeyState(
        number, before.fields().with(added), dataset.index().extent(number), before.removals());
  }
}
