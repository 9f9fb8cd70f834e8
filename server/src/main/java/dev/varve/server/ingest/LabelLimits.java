package dev.varve.server.ingest;

import dev.varve.layout.Refusal;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import org.jspecify.annotations.Nullable;

/**
 * Limits of the labels of a series, for every protocol and layout.
 *
 * @param labels number of labels of a series, without the metric
 * @param name characters of the name of a metric or label
 * @param value characters of the value of a label
 */
public record LabelLimits(int labels, int name, int value) {
  public static final LabelLimits DEFAULTS = new LabelLimits(128, 1_024, 16_384);

  /** Returns why a key is refused; null if it is not. */
  @Nullable Refusal refusal(GroupKey key) {
    int count = key.tags().size() + key.resource().size();
    if (count > labels) {
      return new Refusal(
          "labels.count",
          "%d labels, at most %d are taken (write.labels)".formatted(count, labels));
    }
    if (key.metric().length() > name) {
      return new Refusal(
          "labels.name",
          "the name of the metric has %d characters, at most %d are taken (write.label-name)"
              .formatted(key.metric().length(), name));
    }
    Refusal refusal = refusal(key.tags());
    return refusal == null ? refusal(key.resource()) : refusal;
  }

  private @Nullable Refusal refusal(Tags tags) {
    for (int i = 0; i < tags.size(); i++) {
      if (tags.name(i).length() > name) {
        return new Refusal(
            "labels.name",
            "the name of label '%s...' has %d characters, at most %d are taken (write.label-name)"
                .formatted(start(tags.name(i)), tags.name(i).length(), name));
      }
      if (tags.value(i).length() > value) {
        return new Refusal(
            "labels.value",
            "the value of label '%s' has %d characters, at most %d are taken (write.label-value)"
                .formatted(start(tags.name(i)), tags.value(i).length(), value));
      }
    }
    return null;
  }

  private static String start(String text) {
    return text.length() <= 80 ? text : text.substring(0, 80);
  }
}
