package dev.varve.engine;

import dev.varve.engine.error.CorruptDataException;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.NameNumbers;
import dev.varve.layout.RefusedException;
import dev.varve.layout.Step;
import dev.varve.model.Bytes;
import dev.varve.store.StoreException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that the tables of a dataset keep for names, such as OpenTSDB's UIDs. Safe for use by
 * several threads.
 */
public final class NameTable {
  /** The part of a series that a name denotes. */
  public enum Part {
    METRIC(NameNumbers.Part.METRIC),
    TAG_NAME(NameNumbers.Part.TAG_NAME),
    TAG_VALUE(NameNumbers.Part.TAG_VALUE);

    private final NameNumbers.Part inLayout;

    NameNumbers.Part inLayout() {
      return inLayout;
    }

    Part(NameNumbers.Part inLayout) {
      this.inLayout = inLayout;
    }
  }

  /** The outcome of {@link Originals#rename}. */
  public sealed interface Renamed {
    /** The number has the new name, and the old name has none. */
    record Done() implements Renamed {}

    /** The old name has no number. Nothing has changed. */
    record Unknown() implements Renamed {}

    /** The new name has a number already. Nothing has changed. */
    record Taken(Bytes number) implements Renamed {}

    /** Another writer is renaming the same number. This request has changed nothing. */
    record Raced() implements Renamed {}

    /** Converts a layout's outcome. */
    static Renamed of(NameNumbers.Renaming inLayout) {
      return switch (inLayout) {
        case NameNumbers.Renaming.Done done -> new Done();
        case NameNumbers.Renaming.Unknown unknown -> new Unknown();
        case NameNumbers.Renaming.Taken(Bytes number) -> new Taken(number);
        case NameNumbers.Renaming.Raced raced -> new Raced();
      };
    }
  }

  private final PlacedLayout layout;
  private final NameNumbers numbers;
  private final boolean readOnly;

  /**
   * Creates the view of a layout's numbers.
   *
   * @param readOnly whether numbers may not be assigned
   */
  NameTable(PlacedLayout layout, NameNumbers numbers, boolean readOnly) {
    this.layout = layout;
    this.numbers = numbers;
    this.readOnly = readOnly;
  }

  /** Returns the name of the table. */
  public String tableName() {
    return layout.table(numbers.table()).spec().name();
  }

  /** Returns the length of the numbers of a part, in bytes. */
  public int width(Part part) {
    return numbers.width(part.inLayout);
  }

  /**
   * Returns the number of a name; empty if it has none.
   *
   * @throws CorruptDataException if the table is damaged
   */
  public Optional<Bytes> number(Part part, String name) {
    return run(numbers.number(part.inLayout, name, false));
  }

  /**
   * Returns the number of a name, and assigns one to a new name.
   *
   * @throws QueryRefusedException if the name cannot have a number, none is left, or the tables are
   *     attached read-only
   * @throws WriteFailedException if the table cannot be written
   * @throws CorruptDataException if the table is damaged
   */
  public Bytes assign(Part part, String name) {
    if (readOnly) {
      throw new QueryRefusedException(
          "the tables are attached read-only, so no number can be assigned");
    }
    try {
      return run(numbers.number(part.inLayout, name, true)).orElseThrow();
    } catch (RefusedException e) {
      throw new QueryRefusedException(String.valueOf(e.getMessage()));
    } catch (StoreException e) {
      throw new WriteFailedException(
          "no number can be assigned to '%s': %s".formatted(name, e.getMessage()), e.unknown());
    }
  }

  /**
   * Returns the name with a number; empty if there is none.
   *
   * @throws CorruptDataException if the table is damaged
   */
  public Optional<String> name(Part part, Bytes number) {
    return run(numbers.name(part.inLayout, number));
  }

  /**
   * Returns the note that users attached to a number, as the original stores it; null if there is
   * none.
   *
   * @throws CorruptDataException if the table is damaged
   */
  public @Nullable String note(Part part, Bytes number) {
    return run(numbers.note(part.inLayout, number)).orElse(null);
  }

  /**
   * Stores a note about a number if the stored one is as expected.
   *
   * @param expected null if there must be none
   * @return whether it was stored
   * @throws IllegalArgumentException if the note is too long
   * @throws QueryRefusedException if the tables are attached read-only
   * @throws WriteFailedException if the table cannot be written
   */
  public boolean putNote(Part part, Bytes number, @Nullable String expected, String note) {
    ServiceTexts.requireLength(note);
    return noting(numbers.putNote(part.inLayout, number, expected, note));
  }

  /**
   * Deletes the note about a number. Does nothing if there is none.
   *
   * @throws QueryRefusedException if the tables are attached read-only
   * @throws WriteFailedException if the table cannot be written
   */
  public void removeNote(Part part, Bytes number) {
    boolean _ = noting(numbers.removeNote(part.inLayout, number));
  }

  private boolean noting(Step<Boolean> step) {
    if (readOnly) {
      throw new QueryRefusedException(
          "the tables are attached read-only, so nothing can be noted about names");
    }
    try {
      return run(step);
    } catch (StoreException e) {
      throw new WriteFailedException(
          "the note cannot be changed: %s".formatted(e.getMessage()), e.unknown());
    }
  }

  private <T> T run(Step<T> step) {
    try {
      return layout.run(step);
    } catch (DamagedCellException e) {
      throw new CorruptDataException(String.valueOf(e.getMessage()));
    }
  }
}
