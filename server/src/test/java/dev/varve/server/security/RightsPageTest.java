package dev.varve.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.AccessCheck;
import dev.varve.server.AccessCheck.Endpoint;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The documented table of rights is that of the routes. */
class RightsPageTest {
  private static final Path PAGE = Path.of("../docs/operations/security.md");

  private static String table() {
    Map<Right, Map<String, List<String>>> table = new TreeMap<>();
    for (Endpoint endpoint : AccessCheck.endpoints()) {
      Route route = endpoint.route();
      // OpenTSDB's paths below a version repeat those without.
      if (!route.yielding()) {
        table
            .computeIfAbsent(route.right(), right -> new TreeMap<>())
            .computeIfAbsent(
                endpoint.dialect() + " " + route.path() + marker(route), path -> new ArrayList<>())
            .add(route.method());
      }
    }
    StringBuilder text = new StringBuilder("```text\n");
    table.forEach((right, paths) ->
        paths.forEach((path, methods) ->
            text.append(
                "%-7s %-22s %s\n".formatted(right.word(), String.join(",", methods), path))));
    return text.append("```\n").toString();
  }

  private static String marker(Route route) {
    return route.serverWide() ? " (all)" : route.allSeries() ? " (series)" : "";
  }

  @Test
  void theTableOfThePageIsThatOfTheServer() throws IOException {
    assertThat(Files.readString(PAGE)).contains(table());
  }
}
