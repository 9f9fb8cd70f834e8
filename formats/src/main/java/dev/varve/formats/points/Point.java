package dev.varve.formats.points;

import dev.varve.model.Attribute;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Value;
import java.util.Map;

/** The content of one line of the point form. */
public sealed interface Point {
  /**
   * Samples of one key at one instant.
   *
   * @param time time in the resolution of the dataset
   * @param fields at least one, in the order of the line
   */
  record Sample(GroupKey key, long time, Map<String, Value> fields) implements Point {}

  record Described(Attribute attribute) implements Point {}

  default GroupKey key() {
    return switch (this) {
      case Sample sample -> sample.key();
      case Described described -> described.attribute().key();
    };
  }

  default void addTo(BatchBuilder batch) {
    switch (this) {
      case Sample(GroupKey key, long time, Map<String, Value> fields) ->
          fields.forEach((field, value) -> batch.add(key, field, time, value));
      case Described(Attribute attribute) -> batch.add(attribute);
    }
  }
}
