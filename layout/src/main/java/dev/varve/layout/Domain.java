package dev.varve.layout;

import dev.varve.model.Kind;
import dev.varve.model.TimeRange;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a layout can hold. A point outside is refused by name.
 *
 * @param kinds of samples
 * @param numbers which doubles
 * @param times of samples, in the layout's resolution
 * @param tagsMin how many tags a key has at least
 * @param tagsMax how many tags a key has at most
 * @param tagNames the tags that every key has, all of them and no other; null where names are free
 * @param resource whether a key may have resource identifiers
 * @param fields whether fields other than {@code value} are held
 * @param alphabet of metrics, tags and values
 * @param attributes whether attributes are held
 * @param versions whether what an amendment replaced is kept, for "as of" and "all versions"
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
    /** Every bit pattern comes back as it was. */
    ALL,
    /** Every NaN comes back as the one canonical NaN. */
    ONE_NAN,
    /** Neither NaN nor the infinities. */
    FINITE
  }

  public enum Alphabet {
    /** Every string that UTF-8 can carry, the empty one too. */
    UTF8,
    /** As UTF-8, but neither empty strings nor NUL. */
    UTF8_TEXT,
    /** The letters, digits and {@code - _ . /} that OpenTSDB takes, in Latin-1; not empty. */
    LATIN1_WORD
  }
}
