package dev.varve.model;

/**
 * The identity that the samples of a group share: metric, tags and resource identifiers. Together
 * with a field it identifies a {@link Series}.
 *
 * @param metric the metric's name; may be empty if the layout allows it
 * @param tags the tags that identify the series
 * @param resource identifiers of the origin (host, pod); layouts may store them apart from the tags
 *     because they change often
 */
public record GroupKey(String metric, Tags tags, Tags resource) {
  public static GroupKey of(String metric, Tags tags) {
    return new GroupKey(metric, tags, Tags.EMPTY);
  }

  /**
   * Returns the label name under which a resource identifier of this key appears, see {@link
   * Series}.
   */
  public String resourceLabel(String name) {
    return tags.has(name) ? Series.RESOURCE_PREFIX + name : name;
  }

  public Series field(String field) {
    return new Series(this, field);
  }

  /** Returns an estimate of the heap that the key and its strings occupy, in bytes. */
  public long byteCount() {
    return 80 + 2L * metric.length() + tags.byteCount() + resource.byteCount();
  }

  @Override
  public String toString() {
    return metric + tags + (resource.isEmpty() ? "" : "@" + resource);
  }
}
