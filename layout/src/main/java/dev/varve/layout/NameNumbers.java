package dev.varve.layout;

import dev.varve.model.Bytes;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Numbers that a layout keeps for names in a table of its own, such as OpenTSDB's UIDs. */
public interface NameNumbers {
  /** The part of a series that a name denotes. */
  enum Part {
    METRIC,
    TAG_NAME,
    TAG_VALUE
  }

  /** Returns the index of their table in {@link Layout#tables()}. */
  int table();

  /** Returns the length of the numbers of a part, in bytes. */
  int width(Part part);

  /**
   * Returns the number of a name. Throws {@link RefusedException} for names that cannot have one.
   *
   * @param create whether to assign a number to a new name; otherwise the step yields {@link
   *     Optional#empty()} for it
   */
  Step<Optional<Bytes>> number(Part part, String name, boolean create);

  /** The outcome of {@link #rename}. */
  sealed interface Renaming {
    /** The number has the new name, and the old name has none. */
    record Done(Bytes number) implements Renaming {}

    /** The old name has no number. Nothing has changed. */
    record Unknown() implements Renaming {}

    /** The new name has a number already. Nothing has changed. */
    record Taken(Bytes number) implements Renaming {}

    /** Another writer is renaming the same number. This request has changed nothing. */
    record Raced() implements Renaming {}
  }

  /**
   * Renames a name: its number gets a new name. Repeating an interrupted request completes it.
   * Throws {@link RefusedException} if the new name cannot have a number.
   */
  Step<Renaming> rename(Part part, String old, String name);

  /**
   * Returns the note that users attached to a number, as the original stores it; empty if there is
   * none.
   */
  Step<Optional<String>> note(Part part, Bytes number);

  /**
   * Stores a note about a number if the stored one is as expected. Yields whether it was stored.
   *
   * @param expected null if there must be none
   */
  Step<Boolean> putNote(Part part, Bytes number, @Nullable String expected, String note);

  /** Deletes the note about a number. Yields true even if there was none. */
  Step<Boolean> removeNote(Part part, Bytes number);

  /** Returns the name with a number; empty if there is none. */
  Step<Optional<String>> name(Part part, Bytes number);
}
