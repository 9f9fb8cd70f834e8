package dev.varve.engine;

import dev.varve.engine.error.CorruptDataException;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.PlacedLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The data, other than samples, that an original server such as OpenTSDB or KairosDB keeps with its
 * tables: numbers of names, notes, and texts of clients. Safe for use by several threads.
 */
public final class Originals {
  private final DatasetView view;
  private final DatasetParts parts;

  Originals(DatasetView view) {
    this.view = view;
    this.parts = view.parts();
  }

  /**
   * Returns the texts that clients keep with the dataset: in the original's table if such tables
   * are attached, else with the texts of {@link Dataset#services}.
   *
   * @throws QueryRefusedException to bound users
   */
  public NamedTexts clientTexts() {
    view.refuseWithin("what clients keep with a dataset");
    NamedTexts own = parts.clientTexts();
    return own == null ? parts.services() : own;
  }

  /**
   * Returns the texts about series in the original's table; null unless such a table is attached. A
   * service key is the original's identifier of a series, as hexadecimal digits.
   *
   * @throws QueryRefusedException to bound users
   */
  public @Nullable NamedTexts seriesTexts() {
    view.refuseWithin("what clients keep with a dataset");
    return parts.seriesTexts();
  }

  /**
   * Returns the numbers of names in the dataset's tables; null if its layout keeps none, or if it
   * has several periods, whose tables need not agree. Null for bound users, too: the tables have
   * names of other series.
   */
  public @Nullable NameTable names() {
    List<Period> periods = parts.open().periods().all();
    if (view.bounds() != null || periods.size() != 1 || periods.getFirst().isInBlocks()) {
      return null;
    }
    PlacedLayout primary = periods.getFirst().primary();
    return primary
        .layout()
        .numbers()
        .map(numbers -> new NameTable(primary, numbers, parts.open().config().isReadOnly()))
        .orElse(null);
  }

  /**
   * Renames a name in the dataset's tables: its number gets a new name. The series of the name keep
   * their samples under new labels. Writers wait meanwhile.
   *
   * @return the outcome; only {@link NameTable.Renamed.Done} has changed anything
   * @throws QueryRefusedException if the dataset has no {@link #names}, is attached read-only or
   *     has companions, if the new name cannot have a number, the catalog is full, or a delete is
   *     pending
   * @throws WriteFailedException if a store failed; the change may be half done and can be repeated
   * @throws CorruptDataException if a table is damaged
   */
  public NameTable.Renamed rename(NameTable.Part part, String old, String name) {
    return NameTable.Renamed.of(nameChange().rename(part.inLayout(), old, name));
  }

  /**
   * Follows a change that {@link #rename} has made through another dataset with the same numbers.
   *
   * @throws QueryRefusedException as {@link #rename}
   * @throws WriteFailedException if a store failed
   */
  public void followRename(NameTable.Part part, String old, String name) {
    nameChange().follow(part.inLayout(), old, name);
  }

  /**
   * Forgets cached numbers of names, so that they are looked up again. If other servers write to
   * the tables, also starts a search for series, which finds those of renamed names.
   */
  public void forgetNames() {
    if (names() == null) {
      return;
    }
    parts.writer().forgetNames();
    if (parts.open().config().attached() != null) {
      PlacedLayout primary = parts.open().periods().all().getFirst().primary();
      NameChange change =
          new NameChange(
              parts.open(),
              parts.writer(),
              parts.catalogs(),
              primary,
              primary.layout().numbers().orElseThrow());
      parts.refresh().searchAnew(change::removeUnnamed);
    }
  }

  private NameChange nameChange() {
    NameTable names = names();
    Period period = parts.open().periods().all().getFirst();
    if (names == null || period.hasCompanions()) {
      throw new QueryRefusedException(
          "names of dataset '%s' cannot be changed: its tables have no numbers for them, or several layouts have its series"
              .formatted(parts.open().name()));
    }
    if (parts.open().config().isReadOnly()) {
      throw new QueryRefusedException(
          "dataset '%s' is attached read-only, so its names cannot be changed"
              .formatted(parts.open().name()));
    }
    view.refuseWithoutCatalog();
    PlacedLayout primary = period.primary();
    return new NameChange(
        parts.open(),
        parts.writer(),
        parts.catalogs(),
        primary,
        primary.layout().numbers().orElseThrow());
  }

  /**
   * Returns the notes that the original keeps in its table of samples; null unless such tables are
   * attached, as the only ones of the dataset. Null for bound users, too.
   */
  public @Nullable NoteTable notes() {
    List<Period> periods = parts.open().periods().all();
    if (view.bounds() != null || parts.open().config().attached() == null || periods.size() != 1) {
      return null;
    }
    PlacedLayout primary = periods.getFirst().primary();
    return primary
        .layout()
        .notes()
        .map(cells -> new NoteTable(parts.open(), primary, cells))
        .orElse(null);
  }
}
