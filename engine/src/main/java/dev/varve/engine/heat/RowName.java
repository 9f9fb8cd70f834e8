package dev.varve.engine.heat;

import dev.varve.model.Bytes;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A row of a table, for people.
 *
 * @param row its key, or the beginning of it
 * @param text the content of the key, in words
 * @param labels of its series, with the metric as {@code __name__}; empty if they are not known
 * @param time start of its bucket, or its instant, in the resolution of the dataset; null if it has
 *     none or that is not known
 */
public record RowName(Bytes row, String text, Map<String, String> labels, @Nullable Long time) {
  public RowName {
    labels = Collections.unmodifiableMap(new TreeMap<>(labels));
  }
}
