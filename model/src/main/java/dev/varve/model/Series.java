package dev.varve.model;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A series: a group key and a field. Seen as a set of labels, {@code __name__} is the metric; tags
 * and resource identifiers are labels; {@code __field__} is present only if the field is not {@code
 * value}. A resource identifier that shares its name with a tag appears as {@code resource.NAME}.
 */
public record Series(GroupKey key, String field) {
  public static final String DEFAULT_FIELD = "value";
  public static final String NAME_LABEL = "__name__";
  public static final String FIELD_LABEL = "__field__";
  public static final String RESOURCE_PREFIX = "resource.";

  public String metric() {
    return key.metric();
  }

  /** Returns the value of a label, or null if the series does not carry it. */
  public @Nullable String label(String name) {
    if (name.equals(NAME_LABEL)) {
      return key.metric();
    }
    if (name.equals(FIELD_LABEL)) {
      return field.equals(DEFAULT_FIELD) ? null : field;
    }
    String tag = key.tags().get(name);
    if (tag != null) {
      return tag;
    }
    String resource = key.resource().get(name);
    if (resource != null) {
      return resource;
    }
    if (name.startsWith(RESOURCE_PREFIX)) {
      String hidden = name.substring(RESOURCE_PREFIX.length());
      return key.tags().has(hidden) ? key.resource().get(hidden) : null;
    }
    return null;
  }

  /**
   * Returns all labels except the name, as a new map: tags, then resource identifiers, then the
   * field.
   */
  public Map<String, String> labels() {
    Map<String, String> labels = new LinkedHashMap<>(key.tags().toMap());
    key.resource().forEach((name, value) -> labels.put(key.resourceLabel(name), value));
    if (!field.equals(DEFAULT_FIELD)) {
      labels.put(FIELD_LABEL, field);
    }
    return labels;
  }

  @Override
  public String toString() {
    return field.equals(DEFAULT_FIELD) ? key.toString() : key + "#" + field;
  }
}
