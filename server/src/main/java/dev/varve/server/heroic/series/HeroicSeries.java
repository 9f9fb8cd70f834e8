package dev.varve.server.heroic.series;

import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import tools.jackson.core.JsonGenerator;

/**
 * A series as Heroic names it.
 *
 * @param key the metric
 * @param tags the tags; a field other than {@code value} is one more tag, {@code __field__}
 * @param resource the resource identifiers
 */
public record HeroicSeries(
    String key, SortedMap<String, String> tags, SortedMap<String, String> resource) {
  /** Memory of a series with its maps, without its texts, in bytes. */
  private static final int BYTES = 300;

  private static final int BYTES_PER_TAG = 40;

  public static HeroicSeries of(Series series) {
    HeroicSeries named = of(series.key());
    if (!series.field().equals(Series.DEFAULT_FIELD)) {
      named.tags.put(Series.FIELD_LABEL, series.field());
    }
    return named;
  }

  public static HeroicSeries of(GroupKey key) {
    return new HeroicSeries(
        key.metric(), new TreeMap<>(key.tags().toMap()), new TreeMap<>(key.resource().toMap()));
  }

  /** Returns the same series with one more tag. */
  public HeroicSeries withTag(String name, String value) {
    SortedMap<String, String> more = new TreeMap<>(tags);
    more.put(name, value);
    return new HeroicSeries(key, more, resource);
  }

  /**
   * Returns the names and values by which series are grouped: tags and resource identifiers. A
   * resource identifier hides a tag of its name.
   */
  public Map<String, String> groupingKey() {
    if (resource.isEmpty()) {
      return tags;
    }
    Map<String, String> both = new TreeMap<>(tags);
    both.putAll(resource);
    return both;
  }

  /** Returns an estimate of its memory, in bytes; the catalog shares its texts. */
  public long bytes() {
    return BYTES + (long) BYTES_PER_TAG * (tags.size() + resource.size());
  }

  /** Writes it as an object. */
  public void write(JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("key", key);
    write("tags", tags, json);
    write("resource", resource, json);
    json.writeEndObject();
  }

  private static void write(String name, Map<String, String> map, JsonGenerator json) {
    json.writeObjectPropertyStart(name);
    map.forEach(json::writeStringProperty);
    json.writeEndObject();
  }
}
