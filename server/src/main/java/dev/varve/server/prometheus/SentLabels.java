package dev.varve.server.prometheus;

import dev.varve.formats.protobuf.MalformedMessageException;
import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The labels of a series as they were sent. */
final class SentLabels {
  private final Map<String, String> labels = new TreeMap<>();

  /**
   * Adds a label.
   *
   * @throws MalformedMessageException if it has no name, or the series has it already
   */
  void add(String name, String value) {
    if (name.isEmpty()) {
      throw new MalformedMessageException("a series has a label without a name");
    }
    if (labels.put(name, value) != null) {
      throw new MalformedMessageException("a series has the label '%s' twice".formatted(name));
    }
  }

  /** Returns the value of the label {@code __name__}; null if there is none. */
  @Nullable String metric() {
    return labels.get(Series.NAME_LABEL);
  }

  /** Removes the name and empty labels, and returns the key; null if the name is missing. */
  @Nullable GroupKey takeKey() {
    String metric = labels.remove(Series.NAME_LABEL);
    labels.values().removeIf(String::isEmpty);
    return metric == null || metric.isEmpty()
        ? null
        : new GroupKey(metric, Tags.of(labels), Tags.EMPTY);
  }

  /** Returns the labels that are left, for messages. */
  @Override
  public String toString() {
    return labels.toString();
  }
}
