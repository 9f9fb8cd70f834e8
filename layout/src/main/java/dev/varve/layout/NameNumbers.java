package dev.varve.layout;

import dev.varve.model.Bytes;
import java.util.Optional;

/** Numbers that a layout keeps for names in a table of its own, such as OpenTSDB's UIDs. */
public interface NameNumbers {
  /** What a name denotes. */
  enum Part {
    METRIC,
    TAG_NAME,
    TAG_VALUE
  }

  /** Returns the length of the numbers of a part, in bytes. */
  int width(Part part);

  /**
   * Returns the number of a name. Throws {@link RefusedException} for names that cannot have one.
   *
   * @param create whether to assign a number to a new name; otherwise the step yields {@link
   *     Optional#empty()} for it
   */
  Step<Optional<Bytes>> number(Part part, String name, boolean create);

  /** Returns the name with a number; empty if there is none. */
  Step<Optional<String>> name(Part part, Bytes number);
}
