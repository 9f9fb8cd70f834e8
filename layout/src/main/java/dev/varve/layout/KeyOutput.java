package dev.varve.layout;

import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Tags;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a decoded row key. Setting a tag or resource identifier twice throws {@link
 * DamagedCellException}; other parts keep the last value. Times are in the resolution of the
 * layout.
 */
public final class KeyOutput {
  private String metric = "";
  private final Map<String, String> tags = new TreeMap<>();
  private final Map<String, String> resource = new TreeMap<>();
  private long time;
  private @Nullable Kind kind;
  private @Nullable String field;
  private long stamp;

  public void metric(String value) {
    metric = value;
  }

  public void tag(String name, String value) {
    if (tags.put(name, value) != null) {
      throw new DamagedCellException("row key: tag '" + name + "' appears twice");
    }
  }

  public void resource(String name, String value) {
    if (resource.put(name, value) != null) {
      throw new DamagedCellException("row key: resource '" + name + "' appears twice");
    }
  }

  /** Sets the time. A later time part is finer and overwrites an earlier one. */
  public void time(long value) {
    time = value;
  }

  public void kind(Kind value) {
    kind = value;
  }

  public void field(String value) {
    field = value;
  }

  public void stamp(long value) {
    stamp = value;
  }

  public GroupKey key() {
    return new GroupKey(metric, Tags.of(tags), Tags.of(resource));
  }

  /** Returns the start of the row's bucket, or its instant. */
  public long time() {
    return time;
  }

  /** Returns the kind, or null if the row key does not contain one. */
  public @Nullable Kind kind() {
    return kind;
  }

  /** Returns the field, or null if the row key does not contain one. */
  public @Nullable String field() {
    return field;
  }

  /** Returns the stamp of the write in the row key; 0 if the row key does not contain one. */
  public long stamp() {
    return stamp;
  }
}
