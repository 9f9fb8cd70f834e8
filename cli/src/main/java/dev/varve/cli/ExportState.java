package dev.varve.cli;

import dev.varve.cli.io.JsonTree;
import dev.varve.engine.catalog.Matches;
import dev.varve.formats.parquet.ParquetExport;
import dev.varve.model.GroupKey;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * The final part of the file of an export: everything up to a sample.
 *
 * @param last the series of that sample; null for none
 * @param time its time
 * @param bytes length of the file
 * @param written samples that reached the writer, with those that it left out
 * @param leftOut samples that the writer left out
 * @param groups entries of row groups for the footer of Parquet
 */
record ExportState(
    @Nullable Series last, long time, long bytes, long written, long leftOut, List<byte[]> groups) {
  static final ExportState NONE = new ExportState(null, 0, 0, 0, 0, List.of());

  /** The order of an export: by metric, tags, resource, then field. */
  private static final Comparator<Series> ORDER =
      Comparator.comparing(Series::key, Matches.ORDER).thenComparing(Series::field);

  /**
   * Returns the index of the first sample that is not in the file.
   *
   * @param from index of the first sample of a range
   * @param to index after the last one, which is the answer if all are in the file
   */
  int firstAfter(Series series, Samples samples, int from, int to) {
    if (last == null) {
      return from;
    }
    int order = ORDER.compare(series, last);
    int first = order < 0 ? to : from;
    while (order == 0 && first < to && samples.time(first) <= time) {
      first++;
    }
    return first;
  }

  /** Returns the same for the writer of Parquet. */
  ParquetExport.Written rows() {
    return new ParquetExport.Written(bytes, written - leftOut, leftOut, groups);
  }

  ExportState withBytes(long length) {
    return new ExportState(last, time, length, written, leftOut, groups);
  }

  void write(JsonGenerator json) {
    if (last != null) {
      json.writeStringProperty("metric", last.metric());
      json.writeName("tags");
      write(last.key().tags(), json);
      json.writeName("resource");
      write(last.key().resource(), json);
      json.writeStringProperty("field", last.field());
    }
    json.writeNumberProperty("time", time);
    json.writeNumberProperty("bytes", bytes);
    json.writeNumberProperty("written", written);
    json.writeNumberProperty("leftOut", leftOut);
    json.writeArrayPropertyStart("groups");
    groups.forEach(group -> json.writeString(Base64.getEncoder().encodeToString(group)));
    json.writeEndArray();
  }

  private static void write(Tags tags, JsonGenerator json) {
    json.writeStartObject();
    tags.forEach(json::writeStringProperty);
    json.writeEndObject();
  }

  /**
   * Reads what {@link #write} has written.
   *
   * @param state a parsed object
   * @throws JsonTree.MissingException if something is missing
   * @throws IllegalArgumentException if a row group is damaged
   */
  static ExportState read(Object state) {
    GroupKey key =
        new GroupKey(
            JsonTree.text(state, "metric"),
            JsonTree.tags(state, "tags"),
            JsonTree.tags(state, "resource"));
    return new ExportState(
        key.field(JsonTree.text(state, "field")),
        JsonTree.number(state, "time"),
        JsonTree.number(state, "bytes"),
        JsonTree.number(state, "written"),
        JsonTree.number(state, "leftOut"),
        JsonTree.list(JsonTree.member(state, "groups")).stream()
            .map(group -> Base64.getDecoder().decode(String.valueOf(group)))
            .toList());
  }
}
