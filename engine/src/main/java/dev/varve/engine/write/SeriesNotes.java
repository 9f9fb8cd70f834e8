package dev.varve.engine.write;

import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.home.SeriesTable;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.write.FieldKinds.Field;
import dev.varve.engine.write.KnownSeries.Standing;
import dev.varve.model.Column;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.MutationBatch;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the catalog does not know yet of the series of a batch: first as edits of the home, then,
 * once these stand, in the index.
 */
final class SeriesNotes {
  /**
   * What a number of samples in the home may grow by until it is written again: what the planner
   * expects after a restart stays within a factor of two of what there is.
   */
  private static final double RECOUNT = 1.5;

  /**
   * What is new of a series.
   *
   * @param samples of the series in all, written with its extent
   */
  private record Note(
      KnownSeries series, List<Field> fields, @Nullable TimeRange extent, long samples) {}

  private final OpenDataset dataset;
  private final MutationBatch edits = new MutationBatch();
  private final List<Note> notes = new ArrayList<>(0);

  SeriesNotes(OpenDataset dataset) {
    this.dataset = dataset;
  }

  /** Edits of the home's table of series; empty where nothing is new. */
  MutationBatch edits() {
    return edits;
  }

  /** The keys of which something is new. */
  List<SeriesIdentity> identities() {
    return notes.stream().map(note -> note.series().identity()).distinct().toList();
  }

  /** Notes what is new of a part, of which the layout took something. */
  void add(Part part, long stamp) {
    Standing standing = part.series().standing();
    List<Field> fields = newFields(part, standing);
    long first = part.first();
    long last = part.last();
    long samples = part.accepted();
    boolean recount = false;
    if (standing.series() >= 0) {
      samples += dataset.index().count(standing.series());
      recount = samples >= RECOUNT * dataset.index().notedCount(standing.series());
    }
    TimeRange extent =
        !standing.covers(first, last)
            ? extent(part.series(), first, last)
            : recount ? standing.extent() : null;
    if (standing.series() >= 0 && fields.isEmpty() && extent == null) {
      return;
    }
    addKey(part.series(), stamp);
    for (Field field : fields) {
      SeriesTable.putField(edits, part.series().identity(), field.name(), field.kind(), stamp);
    }
    if (extent != null) {
      SeriesTable.putExtent(edits, part.series().identity(), extent, samples, stamp);
    }
    notes.add(new Note(part.series(), fields, extent, samples));
  }

  /** Notes a key that has an attribute and perhaps no sample. */
  void addKeyOnly(KnownSeries series, long stamp) {
    if (series.standing().series() < 0) {
      addKey(series, stamp);
      notes.add(new Note(series, List.of(), null, 0));
    }
  }

  private void addKey(KnownSeries series, long stamp) {
    if (series.standing().series() < 0) {
      SeriesTable.putKey(edits, series.identity(), series.key(), stamp);
    }
  }

  private static List<Field> newFields(Part part, Standing standing) {
    List<Column> columns = part.group().columns();
    List<Field> fields = List.of();
    for (int c = 0; c < columns.size(); c++) {
      Column column = columns.get(c);
      if (!standing.has(column.field(), column.kind()) && part.isAccepted(c)) {
        fields = fields.isEmpty() ? new ArrayList<>() : fields;
        fields.add(new Field(column.field(), column.kind()));
      }
    }
    return fields;
  }

  private TimeRange extent(KnownSeries series, long first, long last) {
    Resolution resolution = dataset.resolution();
    return Extents.grown(
        series.standing().extent(), first, last, resolution, series.identity().high());
  }

  /**
   * Puts into the index what the home says now. It is as durable as whatever is written behind it,
   * so that who finds it there need not write it again.
   */
  void remember() {
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
      note.series().standing(after(note, number));
    }
  }

  private Standing after(Note note, int number) {
    FieldKinds before = note.series().standing().fields();
    List<Field> added =
        note.fields().stream().filter(field -> !before.has(field.name(), field.kind())).toList();
    return new Standing(number, before.with(added), dataset.index().extent(number));
  }
}
