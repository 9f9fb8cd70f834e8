package dev.varve.server.heroic.query;

import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.heroic.json.Node;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A feature that a query turns on by name, and off with a minus before the name. */
enum Feature {
  DETERMINISTIC_AGGREGATIONS("com.spotify.heroic.deterministic_aggregations"),
  DISTRIBUTED_AGGREGATIONS("com.spotify.heroic.distributed_aggregations"),
  SHIFT_RANGE("com.spotify.heroic.shift_range"),
  SLICED_DATA_FETCH("com.spotify.heroic.sliced_data_fetch"),
  // Heroic misspells it.
  END_BUCKET("com.spotify.heroic.end_bucket_stategy"),
  CACHE_QUERY("com.spotify.heroic.cache_query"),
  LIVE_CURSOR("com.spotify.heroic.metadata.live_cursor");

  private final String id;

  Feature(String id) {
    this.id = id;
  }

  /**
   * Returns the features of a request.
   *
   * @param list names that change the default features; null for the defaults
   * @throws HeroicError if a name is unknown
   */
  static Set<Feature> of(@Nullable Node list) {
    Set<Feature> features = EnumSet.of(SHIFT_RANGE, SLICED_DATA_FETCH, END_BUCKET);
    if (list != null) {
      for (Node one : list.array()) {
        boolean off = one.text().startsWith("-");
        Feature feature = named(off ? one.text().substring(1) : one.text(), one.path());
        if (off) {
          features.remove(feature);
        } else {
          features.add(feature);
        }
      }
    }
    return features;
  }

  private static Feature named(String id, String path) {
    for (Feature feature : values()) {
      if (feature.id.equals(id)) {
        return feature;
      }
    }
    throw HeroicError.json("no feature '%s'".formatted(id), path);
  }
}
