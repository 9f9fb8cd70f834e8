package dev.varve.server.opentsdb.query;

import dev.varve.query.running.QueryUse;
import dev.varve.server.opentsdb.query.TsQuery.Options;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/** Writes the results of a query. */
public final class QueryAnswer {
  private final JsonGenerator json;
  private final TsQuery.Checked query;
  private final boolean arrays;
  private final GroupNotes notes;
  private final UidNames uids;
  private final QueryUse use;
  private final long begun = System.nanoTime();
  private long emitted;

  /**
   * Creates a writer.
   *
   * @param arrays whether points are pairs in an array
   * @param notes writes annotations
   */
  public QueryAnswer(
      JsonGenerator json,
      TsQuery.Checked query,
      boolean arrays,
      GroupNotes notes,
      UidNames uids,
      QueryUse use) {
    this.json = json;
    this.query = query;
    this.arrays = arrays;
    this.notes = notes;
    this.uids = uids;
    this.use = use;
  }

  /** Writes all groups. */
  public void write(List<Group> groups) {
    Options options = query.query().options();
    json.writeStartArray();
    groups.forEach(this::write);
    if (options.showSummary()) {
      json.writeStartObject();
      json.writeName("statsSummary");
      stats();
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void write(Group group) {
    Options options = query.query().options();
    TsQuery.Part part = query.parts().get(group.part());
    json.writeStartObject();
    json.writeStringProperty("metric", group.name());
    json.writeObjectPropertyStart("tags");
    group.tags().forEach(json::writeStringProperty);
    json.writeEndObject();
    json.writeArrayPropertyStart("aggregateTags");
    group.aggregateTags().forEach(json::writeString);
    json.writeEndArray();
    if (options.showQuery()) {
      json.writeName("query");
      new ShownQuery(json, uids).write(part, group.table());
    }
    if (options.showTsuids()) {
      json.writeArrayPropertyStart("tsuids");
      group.tsuids(uids).forEach(json::writeString);
      json.writeEndArray();
    }
    if (group.computed() && !options.noAnnotations()) {
      json.writeArrayPropertyStart("annotations");
      json.writeEndArray();
    }
    notes.write(group, json);
    json.writeName("dps");
    points(group, part);
    if (options.showStats()) {
      json.writeName("stats");
      stats();
    }
    json.writeEndObject();
  }

  private void points(Group group, TsQuery.Part part) {
    Downsampling spec = part.downsampling();
    boolean nulls = spec != null && spec.fill() == Fill.NULL;
    if (arrays) {
      json.writeStartArray();
      group.points().accept(new Pairs(nulls));
      json.writeEndArray();
    } else {
      json.writeStartObject();
      group.points().accept(new Members(nulls));
      json.writeEndObject();
    }
  }

  private boolean isShown(long time) {
    if (time < query.start() || time > query.end()) {
      return false;
    }
    emitted++;
    use.pointsReturned(1);
    return true;
  }

  private long shown(long time) {
    return query.query().options().milliseconds() ? time : time / 1000;
  }

  private void value(double value, boolean nulls) {
    if (nulls && Double.isNaN(value)) {
      json.writeNull();
    } else {
      json.writeNumber(value);
    }
  }

  private final class Pairs implements PointSink {
    private final boolean nulls;

    private Pairs(boolean nulls) {
      this.nulls = nulls;
    }

    @Override
    public void whole(long time, long value) {
      if (isShown(time)) {
        json.writeStartArray();
        json.writeNumber(shown(time));
        json.writeNumber(value);
        json.writeEndArray();
      }
    }

    @Override
    public void real(long time, double value) {
      if (isShown(time)) {
        json.writeStartArray();
        json.writeNumber(shown(time));
        value(value, nulls);
        json.writeEndArray();
      }
    }
  }

  private final class Members implements PointSink {
    private final boolean nulls;

    private Members(boolean nulls) {
      this.nulls = nulls;
    }

    @Override
    public void whole(long time, long value) {
      if (isShown(time)) {
        json.writeNumberProperty(Long.toString(shown(time)), value);
      }
    }

    @Override
    public void real(long time, double value) {
      if (isShown(time)) {
        json.writeName(Long.toString(shown(time)));
        value(value, nulls);
      }
    }
  }

  /** Writes those of OpenTSDB's figures that have a counterpart, under OpenTSDB's names. */
  private void stats() {
    json.writeStartObject();
    json.writeNumberProperty("datapoints", emitted);
    json.writeNumberProperty("rawDatapoints", use.samplesRead());
    json.writeNumberProperty("columnsPreFilter", use.cost().cellsRead());
    json.writeNumberProperty("bytesPreFilter", use.cost().bytesRead());
    json.writeNumberProperty("dpsPostFilter", use.samplesRead());
    json.writeNumberProperty("emittedDPs", emitted);
    json.writeNumberProperty("processingPreWriteTime", (System.nanoTime() - begun) / 1e6);
    json.writeEndObject();
  }
}
