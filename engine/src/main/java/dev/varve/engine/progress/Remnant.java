package dev.varve.engine.progress;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A place that may still hold samples or labels that deletes have removed from the tables.
 *
 * @param name a snapshot; a backup after its directory below {@code backup.directory}; a path below
 *     the data directory; a store and its tables; or the dataset of a home
 * @param made when a copy was made; null if that is not known, and for stores and homes
 * @param from for stores and homes, the first instant at which they may have removed the data; if
 *     {@code certain}, the instant by which they have; null if unknown
 * @param certain whether the data is certainly gone at {@code from}
 * @param advice the way to remove the data, for the operator, in whole sentences
 */
public record Remnant(
    Kind kind,
    String name,
    @Nullable Instant made,
    @Nullable Instant from,
    boolean certain,
    String advice) {
  /** Kinds of places. */
  public enum Kind {
    SNAPSHOT("snapshot"),
    BACKUP("backup"),
    /** Files that a repair, or a start after damage, has set aside. */
    SET_ASIDE("set aside"),
    /** The files of a store outside of this process. */
    STORE("store"),
    /** Records in the home of a dataset other than its series: names and labels, no samples. */
    HOME("home");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    /** Returns the word for the kind in answers and lists. */
    public String word() {
      return word;
    }

    /**
     * Finds a kind by its word.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Kind of(String word) {
      for (Kind kind : values()) {
        if (kind.word.equals(word)) {
          return kind;
        }
      }
      throw new IllegalArgumentException("no kind '%s'".formatted(word));
    }
  }

  /** A copy in files. */
  public static Remnant copy(Kind kind, String name, @Nullable Instant made, String advice) {
    return new Remnant(kind, name, made, null, false, advice);
  }
}
