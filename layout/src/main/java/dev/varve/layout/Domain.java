package dev.varve.layout;

import dev.varve.model.Kind;
import dev.varve.model.TimeRange;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The set of points that a layout can represent. A point outside it is rejected with the name of
 * the violated bound.
 *
 * @param kinds supported kinds of samples
 * @param numbers supported doubles
 * @param times supported sample times, in the layout's resolution
 * @param tagsMin minimum number of tags of a key
 * @param tagsMax maximum number of tags of a key
 * @param tagNames the exact set of tag names that every key must have; null if names are free
 * @param resource whether keys may have resource identifiers
 * @param fields whether fields other than {@code value} are supported
 * @param alphabet allowed texts of metrics, tags and values
 * @param attributes whether attributes are supported
 * @param versions whether superseded values are kept, for "as of" and "all versions" queries
 */
public record Domain(
    Set<Kind> kinds,
    Numbers numbers,
    TimeRange times,
    int tagsMin,
    int tagsMax,
    @Nullable Set<String> tagNames,
    boolean resource,
    boolean fields,
    Alphabet alphabet,
    boolean attributes,
    boolean versions) {

  public enum Numbers {
    /** Every bit pattern is preserved. */
    ALL,
    /** Every NaN is read back as the canonical NaN. */
    ONE_NAN,
    /** Neither NaN nor infinities are allowed. */
    FINITE
  }

  public enum Alphabet {
    /** Every string that UTF-8 can encode, including the empty string. */
    UTF8,
    /** UTF-8, except empty strings and NUL. */
    UTF8_TEXT,
    /**
     * Non-empty strings of the characters that OpenTSDB accepts: letters, digits and {@code - _ .
     * /} in Latin-1.
     */
    LATIN1_WORD
  }
}
