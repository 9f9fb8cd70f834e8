package dev.varve.server.varve;

import dev.varve.engine.Dataset;
import dev.varve.engine.HeatMaps;
import dev.varve.engine.HeatMaps.Named;
import dev.varve.engine.heat.HeatFinding;
import dev.varve.engine.heat.HeatMap;
import dev.varve.engine.heat.Load;
import dev.varve.engine.heat.RowName;
import tools.jackson.core.JsonGenerator;

/**
 * A heat map in JSON.
 *
 * <pre>
 * {"dataset":"default","table":"default.cells","tables":[{"name":"default.cells","layout":"buckets","data":true}],
 *  "what":"writes","unit":"cells","from":0,"to":0,"step":60000,"columns":60,"spread":0.0,
 *  "rows":[{"from":"6370..","text":"cpu{host=\"a\"} 2026-01-01T00:00:00Z","labels":{"__name__":"cpu"},"total":5}],
 *  "cells":[[5,0,0]],
 *  "findings":[{"kind":"hot partition","says":"...","from":"6370..","text":"...","labels":{}}]}
 * </pre>
 *
 * <p>{@code cells} has a list for each row, with a value for each column. Times are milliseconds
 * since 1970. {@code within} names the series to which the user is limited; without it, the map
 * covers all series.
 */
public final class HeatMapJson {
  private HeatMapJson() {}

  /** Writes a heat map that was made for the parameters. */
  public static void write(
      HeatParameters parameters, Dataset dataset, Named named, JsonGenerator json) {
    HeatMap map = named.map();
    HeatMeasure what = parameters.what();
    json.writeStartObject();
    json.writeStringProperty("dataset", dataset.name());
    json.writeStringProperty("table", parameters.table());
    tables(dataset.usage().heatMaps(), json);
    String within = dataset.usage().heatMaps().within();
    if (within != null) {
      json.writeStringProperty("within", within);
    }
    json.writeStringProperty("what", what.word());
    json.writeStringProperty("unit", what.unit());
    json.writeNumberProperty("from", map.from());
    json.writeNumberProperty("to", map.from() + map.step() * map.columns());
    json.writeNumberProperty("step", map.step());
    json.writeNumberProperty("columns", map.columns());
    json.writeNumberProperty("spread", map.spread());
    json.writeName("rows");
    json.writeStartArray();
    for (int row = 0; row < map.rows().size(); row++) {
      json.writeStartObject();
      name(named.names().get(row), json);
      json.writeNumberProperty("total", what.of(map.total(row)));
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeName("cells");
    json.writeStartArray();
    for (var row : map.cells()) {
      json.writeStartArray();
      for (Load cell : row) {
        json.writeNumber(what.of(cell));
      }
      json.writeEndArray();
    }
    json.writeEndArray();
    findings(named, json);
    json.writeEndObject();
  }

  private static void tables(HeatMaps maps, JsonGenerator json) {
    json.writeName("tables");
    json.writeStartArray();
    for (HeatMaps.MappedTable table : maps.tables()) {
      json.writeStartObject();
      json.writeStringProperty("name", table.name());
      json.writeStringProperty("layout", table.layout());
      json.writeBooleanProperty("data", table.data());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void findings(Named named, JsonGenerator json) {
    json.writeName("findings");
    json.writeStartArray();
    for (HeatFinding finding : named.findings()) {
      json.writeStartObject();
      json.writeStringProperty("kind", finding.kind().words());
      json.writeStringProperty("says", finding.text());
      name(finding.row(), json);
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void name(RowName row, JsonGenerator json) {
    json.writeStringProperty("from", row.row().hex());
    json.writeStringProperty("text", row.text());
    json.writeName("labels");
    json.writeStartObject();
    row.labels().forEach(json::writeStringProperty);
    json.writeEndObject();
  }
}
