package dev.varve.server.heroic;

import dev.varve.layout.heroic.HeroicLayout;
import dev.varve.model.Attribute;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.heroic.json.Node;
import dev.varve.server.heroic.json.NodeReader;
import dev.varve.server.http.HeldJson;
import dev.varve.server.http.HeldPart;
import dev.varve.server.http.WriteBudget.Reservation;
import dev.varve.server.ingest.Intake;
import dev.varve.server.ingest.ResourceTags;
import dev.varve.server.ingest.StoredForm;
import java.io.InputStream;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Reads the body of {@code /write}, an object of a series and its data or an array of such objects,
 * and writes it as it arrives. Objects that precede an error in an array are written.
 */
final class WriteReader {
  private final Intake intake;
  private final Reservation memory;
  private final Resolution resolution;
  private final ResourceTags resources;
  private final BatchBuilder batch;
  private final HeldPart ofAttributes;
  private int attributes;
  private @Nullable HeroicError tooFine;

  /**
   * Creates a reader.
   *
   * @param resources the tags that the dataset stores as resource identifiers
   */
  WriteReader(Intake intake, Resolution resolution, ResourceTags resources) {
    this.intake = intake;
    this.memory = intake.memory();
    this.resolution = resolution;
    this.resources = resources;
    this.batch = intake.newBatch();
    this.ofAttributes = new HeldPart(memory);
  }

  /**
   * Reads a body and returns once everything accepted is durable.
   *
   * @throws HeroicError if it is malformed
   */
  void read(InputStream body) {
    try (JsonParser json = HeldJson.of(NodeReader.FACTORY, body, memory)) {
      JsonToken first = json.nextToken();
      if (first == JsonToken.START_ARRAY) {
        for (int i = 0; json.nextToken() != JsonToken.END_ARRAY; i++) {
          one(json, "[" + i + "]");
        }
      } else if (first == null) {
        throw HeroicError.json("the body is empty; expected a series and its data", "");
      } else {
        one(json, "");
      }
      if (json.nextToken() != null) {
        throw HeroicError.json("something follows the document", "");
      }
    } catch (JacksonException e) {
      throw NodeReader.syntax(e);
    } finally {
      write();
    }
    if (tooFine != null) {
      throw tooFine;
    }
  }

  private void write() {
    if (!batch.isEmpty()) {
      attributes = 0;
      intake.write(batch, false);
      ofAttributes.letGo();
    }
  }

  private static String member(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  private void one(JsonParser json, String path) {
    if (json.currentToken() != JsonToken.START_OBJECT) {
      throw HeroicError.json("expected an object of series and data", path);
    }
    GroupKey key = null;
    PointBody data = new PointBody(memory, member(path, "data"));
    HeldPart ofSeries = new HeldPart(memory);
    boolean hasData = false;
    try {
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        json.nextToken();
        switch (name) {
          case "series" -> key = key(NodeReader.at(json, member(path, "series"), ofSeries::hold));
          case "data" -> {
            data.read(json);
            hasData = true;
          }
          default -> json.skipChildren();
        }
      }
      if (key == null || !hasData) {
        String missing = key == null ? "series" : "data";
        throw HeroicError.json("'%s' is missing".formatted(missing), member(path, missing));
      }
      add(key, data);
    } finally {
      data.letGo();
      ofSeries.letGo();
    }
  }

  private static GroupKey key(Node series) {
    return new GroupKey(
        series.required("key").text(), tags(series.get("tags")), tags(series.get("resource")));
  }

  private static Tags tags(@Nullable Node node) {
    Map<String, String> tags = new TreeMap<>();
    if (node != null) {
      node.object().forEach((name, value) -> tags.put(name, value.text()));
    }
    return Tags.of(tags);
  }

  private void add(GroupKey key, PointBody data) {
    if (data.size() > 0) {
      BatchBuilder.GroupBuilder group = batch.group(key);
      for (int i = 0; i < data.size(); i++) {
        group.add(Series.DEFAULT_FIELD, data.time(i), data.value(i));
        if (intake.isFull(batch)) {
          write();
          group = batch.group(key);
        }
      }
    }
    GroupKey stored =
        data.distributions().isEmpty() ? null : intake.enter(key, data.distributions().size());
    if (stored != null) {
      GroupKey own = resources.apply(stored);
      data.distributions().forEach(distribution -> add(own, distribution));
    }
    if (intake.isFull(batch) || attributes >= Intake.BATCH) {
      write();
    }
  }

  private void add(GroupKey key, PointBody.Distribution distribution) {
    long time;
    try {
      time = Resolution.MILLISECONDS.convert(distribution.time(), resolution);
    } catch (ArithmeticException e) {
      time = Long.MAX_VALUE;
    }
    if (time == Long.MAX_VALUE
        || resolution.convert(time, Resolution.MILLISECONDS) != distribution.time()) {
      String message =
          "the dataset counts time in %s and cannot hold the millisecond %d"
              .formatted(resolution.symbol(), distribution.time());
      intake.report(StoredForm.TOO_FINE, 1, () -> key + ": " + message);
      tooFine = HeroicError.of(message);
      return;
    }
    ofAttributes.hold(distribution.bytes().length);
    attributes++;
    batch.add(
        new Attribute(
            key, HeroicLayout.DISTRIBUTION, time, new Value.Raw(Bytes.of(distribution.bytes()))));
  }
}
