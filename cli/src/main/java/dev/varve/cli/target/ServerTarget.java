package dev.varve.cli.target;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.JsonTree;
import dev.varve.engine.progress.CompactionProgress;
import dev.varve.engine.progress.ConversionProgress;
import dev.varve.engine.progress.DeleteCount;
import dev.varve.engine.progress.DeletionProgress;
import dev.varve.engine.progress.Remnant;
import dev.varve.formats.export.CsvRows;
import dev.varve.formats.export.ExportFormat;
import dev.varve.formats.export.ExportWriter;
import dev.varve.formats.json.Json;
import dev.varve.formats.points.PointLines;
import dev.varve.formats.text.BadLineException;
import dev.varve.model.Batch;
import dev.varve.model.Resolution;
import dev.varve.model.Value;
import dev.varve.server.compression.GzipOutput;
import dev.varve.server.varve.QueryParameters;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/** A dataset of a server, accessed through Varve's own API. */
final class ServerTarget implements Target {

  private final ServerConnection connection;
  private final ServerAddress server;
  private final @Nullable String dataset;
  private final Map<String, String> properties;

  /**
   * Asks the server for the dataset.
   *
   * @param dataset name; null for the server's default
   * @throws CommandFailedException if the server does not answer or lacks the dataset
   */
  ServerTarget(ServerAddress server, @Nullable String dataset) {
    this.connection = new ServerConnection(server);
    this.server = server;
    this.dataset = dataset;
    this.properties = new LinkedHashMap<>();
    try (InputStream body = send(ServerRequest.get("/varve/v1/dataset"));
        JsonParser json = Json.FACTORY.createParser(ObjectReadContext.empty(), body)) {
      json.nextToken();
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        json.nextToken();
        properties.put(name, json.getString());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String name() {
    return properties.getOrDefault("name", "");
  }

  @Override
  public Target beside(String other) {
    return new ServerTarget(server, other);
  }

  @Override
  public Resolution resolution() {
    return Resolution.ofSymbol(properties.getOrDefault("resolution", "ms"));
  }

  @Override
  public String durability() {
    return properties.getOrDefault("durability", "");
  }

  @Override
  public String created() {
    return properties.getOrDefault("created", "");
  }

  @Override
  public boolean holdsFields() {
    return properties.getOrDefault("fields", "true").equals("true");
  }

  @Override
  public Written write(Batch batch, boolean insists) {
    String path = insists ? "/varve/v1/points" : "/varve/v1/points?integers=any";
    ServerRequest request = ServerRequest.post(path, lines(batch)).with("Content-Encoding", "gzip");
    try (InputStream answer = send(request);
        JsonParser json = Json.FACTORY.createParser(ObjectReadContext.empty(), answer)) {
      return written(json);
    } catch (IOException | JacksonException e) {
      throw brokeOff(e);
    }
  }

  /** Returns the batch in the point form, compressed. */
  private static byte[] lines(Batch batch) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    try (Writer lines = new OutputStreamWriter(new GzipOutput(body), StandardCharsets.UTF_8)) {
      PointLines.write(batch, lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return body.toByteArray();
  }

  private static Written written(JsonParser json) {
    long accepted = 0;
    long refused = 0;
    long coerced = 0;
    List<String> reasons = new ArrayList<>();
    json.nextToken();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      switch (name) {
        case "accepted" -> accepted = json.getLongValue();
        case "coerced" -> coerced = json.getLongValue();
        case "refused" -> refused = json.getLongValue();
        case "reasons" -> {
          while (json.nextToken() != JsonToken.END_ARRAY) {
            reasons.add(json.getString());
          }
        }
        default -> json.skipChildren();
      }
    }
    return new Written(accepted, refused, coerced, reasons);
  }

  /** Sends CSV, which tells a staleness marker from other NaNs. */
  @Override
  public Filled fill(Batch batch, boolean dry) {
    ServerRequest request =
        ServerRequest.post("/varve/v1/fill?integers=any" + (dry ? "&dry-run=true" : ""), csv(batch))
            .with("Content-Encoding", "gzip");
    try (InputStream answer = send(request)) {
      return FilledJson.read(new String(answer.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException | JacksonException e) {
      throw brokeOff(e);
    }
  }

  private byte[] csv(Batch batch) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    try (Writer lines = new OutputStreamWriter(new GzipOutput(body), StandardCharsets.UTF_8)) {
      ExportWriter rows = ExportFormat.csv.to(lines, resolution(), 1);
      BatchSamples.write(batch, rows);
      rows.finish();
      if (rows.leftOut() > 0) {
        throw new CommandFailedException(
            "a name of a metric or field has a line break, which cannot be sent to a server");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return body.toByteArray();
  }

  @Override
  public List<String> metrics(String selector) {
    String path =
        "/prometheus/api/v1/label/__name__/values?match[]="
            + URLEncoder.encode(selector, StandardCharsets.UTF_8);
    try (InputStream answer = send(ServerRequest.get(path.replace("[]", "%5B%5D")))) {
      String text = new String(answer.readAllBytes(), StandardCharsets.UTF_8);
      return JsonTree.list(JsonTree.member(JsonTree.parse(text), "data")).stream()
          .map(String::valueOf)
          .sorted()
          .toList();
    } catch (IOException | JacksonException e) {
      throw brokeOff(e);
    }
  }

  @Override
  public void query(QueryParameters parameters, SampleSink sink) {
    try (InputStream body = send(form("/varve/v1/query", parameters.texts()));
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        try (JsonParser json = Json.parser(line)) {
          new ResultLine(json, sink).read();
        }
      }
    } catch (IOException | JacksonException e) {
      throw brokeOff(e);
    }
  }

  /** A server refuses to read while it searches, even of a metric that does not exist. */
  @Override
  public void awaitCatalog() throws IOException {
    Map<String, String> none = Map.of("selector", "varve_no_such_metric", "from", "0", "to", "0");
    export(QueryParameters.ofRows(none), ExportFormat.csv.to(Writer.nullWriter(), resolution(), 1));
  }

  /** Asks for CSV, which holds everything, so that any writer can tell what it leaves out. */
  @Override
  public long export(QueryParameters rows, ExportWriter writer) throws IOException {
    Map<String, String> texts = new LinkedHashMap<>(rows.texts());
    texts.put("format", "csv");
    CsvRows reader = new CsvRows(resolution());
    try (InputStream body = send(form("/varve/v1/export", texts));
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
      RowsToRuns runs = new RowsToRuns(writer);
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        CsvRows.Row row = reader.read(line);
        if (row != null) {
          runs.add(row);
        }
      }
      runs.flush();
    } catch (IOException | BadLineException e) {
      throw brokeOff(e);
    }
    writer.finish();
    return reader.leftOut();
  }

  /** An incomplete answer is an error. */
  private CommandFailedException brokeOff(Exception failure) {
    return new CommandFailedException(
        "the server at %s broke off in the middle of its answer: %s"
            .formatted(server, failure.getMessage()));
  }

  @Override
  public String explain(Map<String, String> texts) {
    try (InputStream body = send(form("/varve/v1/explain", texts))) {
      return new String(body.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String heatMap(Map<String, String> texts) {
    try (InputStream body = send(ServerRequest.get("/varve/v1/heatmap?" + fields(texts)))) {
      return new String(body.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw brokeOff(e);
    }
  }

  @Override
  public String advice() {
    try (InputStream body = send(ServerRequest.get("/varve/v1/advice"))) {
      return new String(body.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw brokeOff(e);
    }
  }

  @Override
  public String explain(Batch batch) {
    ServerRequest request =
        ServerRequest.post("/varve/v1/explain/points", lines(batch))
            .with("Content-Encoding", "gzip");
    try (InputStream body = send(request)) {
      return new String(body.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public CompactionProgress compact(QueryParameters rows, Consumer<CompactionProgress> progress) {
    CompactionProgress last = null;
    try (InputStream body = send(form("/varve/v1/compact", rows.texts()));
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        last = progress(line);
        progress.accept(last);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (last == null) {
      throw new CommandFailedException("the server at " + server + " broke off its answer");
    }
    return last;
  }

  private static CompactionProgress progress(String line) {
    Map<String, Long> counts = new LinkedHashMap<>();
    List<String> damages = new ArrayList<>();
    try (JsonParser json = Json.parser(line)) {
      json.nextToken();
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        switch (json.nextToken()) {
          case VALUE_NUMBER_INT -> counts.put(name, json.getLongValue());
          case START_ARRAY -> {
            while (json.nextToken() != JsonToken.END_ARRAY) {
              damages.add(json.getString());
            }
          }
          default -> throw new CommandFailedException(json.getString());
        }
      }
    }
    return new CompactionProgress(
        counts.getOrDefault("rows", 0L),
        counts.getOrDefault("compacted", 0L),
        counts.getOrDefault("written", 0L),
        counts.getOrDefault("deleted", 0L),
        counts.getOrDefault("damaged", 0L),
        damages);
  }

  @Override
  public ConversionProgress convertIntoBlocks(Consumer<ConversionProgress> progress) {
    ConversionProgress last = null;
    try (InputStream body = send(form("/varve/v1/compact", Map.of("into", "blocks")));
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        last = conversion(line);
        progress.accept(last);
      }
    } catch (IOException e) {
      throw brokeOff(e);
    }
    if (last == null) {
      throw new CommandFailedException("the server at " + server + " broke off its answer");
    }
    return last;
  }

  private static ConversionProgress conversion(String line) {
    Map<String, Long> counts = new LinkedHashMap<>();
    Map<String, Instant> times = new LinkedHashMap<>();
    boolean done = false;
    try (JsonParser json = Json.parser(line)) {
      json.nextToken();
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        switch (json.nextToken()) {
          case VALUE_NUMBER_INT -> counts.put(name, json.getLongValue());
          case VALUE_TRUE -> done = true;
          case VALUE_FALSE, VALUE_NULL -> {}
          default -> {
            if (name.equals("error")) {
              throw new CommandFailedException(json.getString());
            }
            times.put(name, Instant.parse(json.getString()));
          }
        }
      }
    }
    return new ConversionProgress(
        counts.getOrDefault("samples", 0L),
        counts.getOrDefault("again", 0L),
        times.get("first"),
        times.get("blocksFrom"),
        done);
  }

  @Override
  public DeleteCount countDeletable(Map<String, String> texts) {
    Map<String, String> dry = new LinkedHashMap<>(texts);
    dry.put("dry-run", "true");
    return deletion(dry, line -> {}).count();
  }

  @Override
  public DeletionProgress delete(Map<String, String> texts, Consumer<DeletionProgress> progress) {
    return deletion(texts, line -> progress.accept(line.progress())).progress();
  }

  @Override
  public List<Remnant> remnants() {
    try (InputStream body = send(ServerRequest.get("/varve/v1/deletes"))) {
      return RemnantsJson.read(new String(body.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException | JacksonException e) {
      throw brokeOff(e);
    }
  }

  private DeletionLine deletion(Map<String, String> texts, Consumer<DeletionLine> news) {
    DeletionLine last = null;
    try (InputStream body = send(form("/varve/v1/delete", texts));
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        last = DeletionLine.read(line);
        news.accept(last);
      }
    } catch (IOException | JacksonException e) {
      throw brokeOff(e);
    }
    if (last == null) {
      throw new CommandFailedException("the server at " + server + " broke off its answer");
    }
    return last;
  }

  private static ServerRequest form(String path, Map<String, String> texts) {
    return ServerRequest.post(path, fields(texts).getBytes(StandardCharsets.UTF_8))
        .with("Content-Type", "application/x-www-form-urlencoded");
  }

  private static String fields(Map<String, String> texts) {
    return texts.entrySet().stream()
        .map(text ->
            text.getKey() + "=" + URLEncoder.encode(text.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
  }

  private InputStream send(ServerRequest request) {
    return connection.send(dataset == null ? request : request.with("X-Varve-Dataset", dataset));
  }

  @Override
  public void close() {
    connection.close();
  }

  /**
   * One line of a result: {@code {"metric":"m","labels":{},"points":[[time,value],...]}} or {@code
   * {"error":"..."}}.
   */
  private static final class ResultLine {
    private final JsonParser json;
    private final SampleSink sink;
    private String metric = "";
    private final Map<String, String> labels = new LinkedHashMap<>();

    private ResultLine(JsonParser json, SampleSink sink) {
      this.json = json;
      this.sink = sink;
    }

    private void read() {
      json.nextToken();
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        json.nextToken();
        switch (name) {
          case "metric" -> metric = json.getString();
          case "labels" -> {
            while (json.nextToken() != JsonToken.END_OBJECT) {
              String label = json.currentName();
              json.nextToken();
              labels.put(label, json.getString());
            }
          }
          case "points" -> readPoints();
          case "error" -> throw new CommandFailedException(json.getString());
          default -> json.skipChildren();
        }
      }
    }

    private void readPoints() {
      while (json.nextToken() != JsonToken.END_ARRAY) {
        json.nextToken();
        long time = json.getLongValue();
        json.nextToken();
        sink.accept(metric, labels, time, value());
        json.nextToken();
      }
    }

    private @Nullable Value value() {
      return switch (json.currentToken()) {
        case VALUE_NULL -> null;
        case VALUE_NUMBER_INT -> new Value.Int64(json.getLongValue());
        case VALUE_NUMBER_FLOAT -> new Value.Real(Double.parseDouble(json.getString()));
        case VALUE_STRING -> new Value.Real(Double.parseDouble(json.getString()));
        default -> {
          json.nextToken();
          json.nextToken();
          Value text = new Value.Text(json.getString());
          json.nextToken();
          yield text;
        }
      };
    }
  }
}
