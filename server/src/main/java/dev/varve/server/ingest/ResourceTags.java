package dev.varve.server.ingest;

import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The tags that a dataset stores as resource identifiers, for writers that do not know resources.
 *
 * @param names the names that the dataset lists
 */
public record ResourceTags(Set<String> names) {
  boolean isEmpty() {
    return names.isEmpty();
  }

  /** Returns the key with the listed tags as resource identifiers. */
  public GroupKey apply(GroupKey key) {
    if (names.isEmpty() || key.tags().names().stream().noneMatch(names::contains)) {
      return key;
    }
    Map<String, String> tags = new TreeMap<>();
    Map<String, String> resource = new TreeMap<>(key.resource().toMap());
    key.tags().forEach((name, value) -> (names.contains(name) ? resource : tags).put(name, value));
    return new GroupKey(key.metric(), Tags.of(tags), Tags.of(resource));
  }
}
