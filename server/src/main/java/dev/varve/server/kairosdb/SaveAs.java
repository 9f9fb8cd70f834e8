package dev.varve.server.kairosdb;

import static java.util.Map.entry;

import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.query.OperatorException;
import dev.varve.query.ResultSeries;
import dev.varve.server.http.HttpError;
import dev.varve.server.kairosdb.Properties.Settings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The aggregator {@code save_as}: the series to which the points that reach it are also written.
 *
 * @param metric empty if none is given
 * @param tags of all points
 * @param ttl lifetime of the points in seconds; 0 for that of the dataset
 * @param addSavedFrom whether tag {@code saved_from} names the metric that was read
 * @param refusal the first error with which it fails once there is a point; null for none
 */
record SaveAs(
    String metric,
    Map<String, String> tags,
    int ttl,
    boolean addSavedFrom,
    @Nullable String refusal) {
  static final String NAME = "save_as";

  private static final String SAVED_FROM = "saved_from";

  private static final Map<String, PropertyType> PROPERTIES =
      Map.ofEntries(
          entry("metric_name", PropertyType.TEXT),
          entry("tags", PropertyType.TAGS),
          entry("ttl", PropertyType.SMALL),
          entry("add_saved_from", PropertyType.TRUTH),
          // KairosDB sets it itself, and takes and replaces what a query gives.
          entry("group_bys", PropertyType.ANY));

  SaveAs {
    tags = Map.copyOf(tags);
  }

  @SuppressWarnings("unchecked") // Read by PropertyType.TAGS.
  static SaveAs read(Properties properties) {
    Settings settings = properties.settings(PROPERTIES, NAME, "aggregator.SaveAsAggregator");
    String metric = settings.constant("metric_name");
    String refusal = metric == null || metric.isEmpty() ? "save_as has no metric_name" : null;
    Map<String, Object> given =
        settings.get("tags") instanceof Map<?, ?> map ? (Map<String, Object>) map : Map.of();
    Map<String, String> tags = new LinkedHashMap<>();
    for (Map.Entry<String, Object> tag : given.entrySet()) {
      if (!(tag.getValue() instanceof String text)) {
        if (refusal == null) {
          refusal =
              "save_as cannot write tag '%s' with the value %s: a value is a string"
                  .formatted(tag.getKey(), JsonTree.text(tag.getValue()));
        }
      } else if (!text.isEmpty()) {
        // An empty value is the same as no tag.
        tags.put(tag.getKey(), text);
      }
    }
    int ttl = (int) settings.whole("ttl", 0);
    if (ttl < 0) {
      throw properties.wrong("ttl", "must be greater than or equal to 0");
    }
    boolean addSavedFrom = settings.truth("add_saved_from", true);
    if (addSavedFrom && tags.containsKey(SAVED_FROM)) {
      throw twice(SAVED_FROM);
    }
    return new SaveAs(metric == null ? "" : metric, tags, ttl, addSavedFrom, refusal);
  }

  private static HttpError twice(String tag) {
    // KairosDB answers 500, too, though the query is at fault.
    return new HttpError(
        500, "save_as would write tag '%s' twice: it is one of its own 'tags'".formatted(tag));
  }

  /**
   * Returns the key under which the points of a result are written: the tags of this aggregator,
   * and those of the grouping.
   *
   * @param from the metric that is read
   * @param grouped tags by which the results are grouped
   * @throws OperatorException if there is no metric, or a tag is not a text
   * @throws HttpError 500 if a tag has two values
   */
  GroupKey key(String from, List<String> grouped, ResultSeries result) {
    if (refusal != null) {
      throw new OperatorException(refusal);
    }
    Map<String, String> all = new TreeMap<>(tags);
    if (addSavedFrom) {
      all.put(SAVED_FROM, from);
    }
    for (String tag : grouped) {
      @Nullable String value = result.labels().get(tag);
      if (value != null && !value.isEmpty() && all.put(tag, value) != null) {
        throw twice(tag);
      }
    }
    return GroupKey.of(metric, Tags.of(all));
  }
}
