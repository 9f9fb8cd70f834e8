package dev.varve.server.opentsdb.query;

import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Writes a sub query as the answer repeats it. */
final class ShownQuery {
  private final JsonGenerator json;
  private final UidNames uids;

  ShownQuery(JsonGenerator json, UidNames uids) {
    this.json = json;
    this.uids = uids;
  }

  /**
   * Writes a sub query.
   *
   * @param table what was read
   */
  void write(TsQuery.Part part, String table) {
    SubQuery sub = part.sub();
    json.writeStartObject();
    text("aggregator", sub.aggregator());
    text("metric", sub.metric());
    texts("tsuids", sub.tsuids());
    text("downsample", sub.downsample());
    json.writeBooleanProperty("rate", sub.rate());
    json.writeArrayPropertyStart("filters");
    sub.filters().forEach(this::filter);
    json.writeEndArray();
    json.writeBooleanProperty("explicitTags", sub.explicitTags());
    json.writeName("percentiles");
    percentiles(sub.percentiles());
    json.writeBooleanProperty("showHistogramBuckets", sub.showHistogramBuckets());
    json.writeNumberProperty("index", part.index());
    json.writeObjectPropertyStart("tags");
    ValueFilter.shownTags(sub.filters()).forEach(json::writeStringProperty);
    json.writeEndObject();
    json.writeName("rateOptions");
    options(sub.rateOptions());
    json.writeBooleanProperty("preAggregate", sub.preAggregate());
    text("rollupUsage", sub.rollupUsage());
    json.writeStringProperty("rollupTable", table);
    json.writeBooleanProperty("histogramQuery", sub.ofHistograms());
    json.writeName("filterTagKs");
    filterTags(sub.filters());
    // Settings of the original's scanner at their defaults.
    json.writeBooleanProperty("useFuzzyFilter", true);
    json.writeBooleanProperty("useMultiGets", true);
    json.writeEndObject();
  }

  private void text(String name, @Nullable String text) {
    json.writeName(name);
    if (text == null) {
      json.writeNull();
    } else {
      json.writeString(text);
    }
  }

  private void texts(String name, @Nullable List<String> texts) {
    json.writeName(name);
    if (texts == null) {
      json.writeNull();
      return;
    }
    json.writeStartArray();
    texts.forEach(json::writeString);
    json.writeEndArray();
  }

  private void percentiles(@Nullable List<Float> percentiles) {
    if (percentiles == null) {
      json.writeNull();
      return;
    }
    json.writeStartArray();
    percentiles.forEach(json::writeNumber);
    json.writeEndArray();
  }

  /** Writes the UIDs of the tags that filters name, in Base64. */
  private void filterTags(List<ValueFilter> filters) {
    if (filters.isEmpty()) {
      json.writeNull();
      return;
    }
    json.writeStartArray();
    filters.stream()
        .map(ValueFilter::tagk)
        .distinct()
        .sorted(TagOrder.NAMES)
        .map(name -> uids.uid(Tsuid.Kind.TAGK, name))
        .filter(Objects::nonNull)
        .map(HexFormat.of()::parseHex)
        .forEach(json::writeBinary);
    json.writeEndArray();
  }

  private void filter(ValueFilter filter) {
    json.writeStartObject();
    json.writeStringProperty("tagk", filter.tagk());
    json.writeStringProperty("filter", filter.filter());
    json.writeBooleanProperty("group_by", filter.groupBy());
    json.writeStringProperty("type", filter.type());
    json.writeEndObject();
  }

  private void options(@Nullable RateOptions options) {
    if (options == null) {
      json.writeNull();
      return;
    }
    json.writeStartObject();
    json.writeBooleanProperty("counter", options.counter());
    json.writeBooleanProperty("dropResets", options.dropResets());
    json.writeNumberProperty("counterMax", options.counterMax());
    json.writeNumberProperty("resetValue", options.resetValue());
    json.writeEndObject();
  }
}
