package dev.varve.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.cli.io.JsonTree;
import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.registry.Layouts;
import dev.varve.server.Server;
import dev.varve.server.ServerConfig;
import dev.varve.server.ServerConfig.Listener;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * The cells that the console shows are those that {@code varve cells} prints, for every layout and
 * random points, and their parts lie within the bytes.
 */
class CellsEndpointTest {
  /** Points for each layout; a profile may ask for more. */
  private static final int POINTS = Integer.getInteger("varve.console.points", 50);

  private static final int AT_ONCE = 50;
  private static final List<String> COORDINATES = List.of("row", "qualifier", "value");

  @TempDir private Path folder;
  private final InputStream stdin = System.in;
  private final HttpClient client = HttpClient.newHttpClient();
  private Engine engine;
  private Server server;

  @BeforeEach
  void start() throws IOException {
    DatasetConfig dataset = DatasetConfig.of("default", Layouts.of("buckets", Map.of()));
    engine = Engine.open(new EngineConfig(folder, 64 << 20, List.of(dataset), "default"));
    ServerConfig config =
        new ServerConfig(
            List.of(new Listener("127.0.0.1", 0, Listener.DEFAULTS.dialects(), null)),
            ServerConfig.DEFAULTS.http(),
            ServerConfig.DEFAULTS.query(),
            null,
            null,
            null);
    server = Server.start(config, engine);
  }

  @AfterEach
  void stop() {
    System.setIn(stdin);
    server.close();
    engine.close();
    client.close();
  }

  static Stream<String> layouts() {
    return Stream.concat(
        Stream.of(BlockLayout.NAME), Layouts.list().stream().map(Layouts.Entry::name));
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void showsTheCellsThatTheCommandPrints(String layout) throws Exception {
    Random random = new Random(layout.hashCode());
    int cells = 0;
    for (int done = 0; done < POINTS; done += AT_ONCE) {
      String points = points(random);
      Map<?, ?> shown = (Map<?, ?>) JsonTree.parse(ask(layout, points));
      List<Map<String, Object>> printed = print(layout, points);
      List<?> found = (List<?>) JsonTree.member(shown, "cells");
      assertThat(found).hasSameSizeAs(printed);
      for (int i = 0; i < printed.size(); i++) {
        Map<?, ?> cell = (Map<?, ?>) found.get(i);
        for (Map.Entry<String, Object> member : printed.get(i).entrySet()) {
          assertThat(cell.get(member.getKey()))
              .as("%s of cell %d of %s", member.getKey(), i, points)
              .hasToString(String.valueOf(member.getValue()));
        }
        checkParts(cell);
      }
      cells += printed.size();
    }
    assertThat(cells).isGreaterThanOrEqualTo(POINTS / 2);
  }

  /** Every part lies within its coordinate, none overlaps another, and its bytes are the cell's. */
  private static void checkParts(Map<?, ?> cell) {
    for (String coordinate : COORDINATES) {
      String bytes = String.valueOf(cell.get(coordinate));
      int end = 0;
      for (Object part : (List<?>) JsonTree.member(cell, "parts")) {
        if (coordinate.equals(JsonTree.member(part, "coordinate"))) {
          int from = ((Number) JsonTree.member(part, "from")).intValue();
          int to = ((Number) JsonTree.member(part, "to")).intValue();
          assertThat(from).as("%s of %s", part, cell).isGreaterThanOrEqualTo(end);
          assertThat(to).as("%s of %s", part, cell).isBetween(from, bytes.length() / 2);
          assertThat(JsonTree.member(part, "hex")).isEqualTo(bytes.substring(2 * from, 2 * to));
          end = to;
        }
      }
    }
  }

  /** Returns points of some series, in the alphabets and times that all layouts hold. */
  private static String points(Random random) {
    StringBuilder points = new StringBuilder();
    for (int i = 0; i < AT_ONCE; i++) {
      String value =
          random.nextInt(3) == 0
              ? Integer.toString(random.nextInt())
              : Double.toString(random.nextGaussian() * Math.pow(10, random.nextInt(12)));
      points.append(
          "{\"metric\":\"m%d.%c\",\"tags\":{\"host\":\"h%d\",\"dc\":\"%s\"},\"time\":%d,\"value\":%s}\n"
              .formatted(
                  random.nextInt(3),
                  'a' + random.nextInt(26),
                  random.nextInt(5),
                  Long.toString(random.nextLong() >>> 1, 36),
                  1_000_000_000_000L + random.nextLong(1_000_000_000_000L),
                  value));
    }
    return points.toString();
  }

  @Test
  void boundsWhatParametersMakeOfADeclaration() throws Exception {
    String layout = "parameters: {x: {default: a}}\ntable: '" + "${x}".repeat(4000) + "'\n";
    String points = points(new Random(1));
    assertThat(send(layout, points, "&param.x=" + "a".repeat(100_000)).statusCode()).isEqualTo(413);
    HttpResponse<String> answer = send(layout, points, "&param.x=" + "a".repeat(1000));
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("characters with its parameters");
  }

  private String ask(String layout, String points) throws Exception {
    HttpResponse<String> answer = send(layout, points, "");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.body();
  }

  private HttpResponse<String> send(String layout, String points, String further) throws Exception {
    String form =
        "layout=%s&points=%s"
                .formatted(URLEncoder.encode(layout, UTF_8), URLEncoder.encode(points, UTF_8))
            + further;
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + server.ports().getFirst() + "/varve/v1/cells"))
            .POST(HttpRequest.BodyPublishers.ofString(form))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  private static List<Map<String, Object>> print(String layout, String points) {
    StringWriter out = new StringWriter();
    System.setIn(new ByteArrayInputStream(points.getBytes(UTF_8)));
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(new StringWriter()));
    // Ends with 1 where the layout refuses a point; the cells of the others are printed.
    assertThat(line.execute("cells", "--layout", layout, "--output", "json")).isBetween(0, 1);
    List<Map<String, Object>> cells = new ArrayList<>();
    for (String cell : out.toString().lines().toList()) {
      Map<String, Object> members = new LinkedHashMap<>();
      ((Map<?, ?>) JsonTree.parse(cell))
          .forEach((name, value) -> members.put(String.valueOf(name), value));
      cells.add(members);
    }
    return cells;
  }
}
