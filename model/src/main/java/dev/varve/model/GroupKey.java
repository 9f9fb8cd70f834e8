package dev.varve.model;

/**
 * What the samples of a group have in common: metric, tags and resource identifiers. One key and a
 * field make a {@link Series}.
 *
 * @param metric the name of what is measured; may be empty where a layout allows it
 * @param tags what the series is known by
 * @param resource identifiers of where it was measured (host, pod), which layouts may keep apart
 *     from the tags because they churn
 */
public record GroupKey(String metric, Tags tags, Tags resource) {
  public static GroupKey of(String metric, Tags tags) {
    return new GroupKey(metric, tags, Tags.EMPTY);
  }

  /** The label as which a resource identifier of the key shows, see {@link Series}. */
  public String resourceLabel(String name) {
    return tags.has(name) ? Series.RESOURCE_PREFIX + name : name;
  }

  public Series field(String field) {
    return new Series(this, field);
  }

  /** About how many bytes of the heap the key holds with its texts. */
  public long byteCount() {
    return 80 + 2L * metric.length() + tags.byteCount() + resource.byteCount();
  }

  @Override
  public String toString() {
    return metric + tags + (resource.isEmpty() ? "" : "@" + resource);
  }
}
