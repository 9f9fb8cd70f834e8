package dev.varve.bench.originals;

import dev.varve.bench.compare.Connection;
import dev.varve.bench.compare.ProcessFigures;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Measures the cost of writes. All servers write the same points in turn, each into a new metric of
 * its own. Processor time counts until server and store are quiet, since an original answers before
 * it has stored the points.
 */
final class Writes {
  /** Processor time of server and store in seconds, below which a second counts as quiet. */
  private static final double QUIET = 0.1;

  private static final int QUIET_SECONDS_MAX = 60;

  private final Stage stage;
  private final int rounds;
  private final long points;

  Writes(Stage stage, Options options) {
    this.stage = stage;
    this.rounds = options.rounds();
    this.points = (long) options.series() * options.samples();
  }

  /** Processor time of a server and its store for all points of one turn, in seconds. */
  private record Cost(double server, double store) {
    double all() {
      return server + store;
    }
  }

  /** Returns a table in Markdown. */
  String run() throws IOException, InterruptedException {
    List<Contestant> servers = stage.all();
    List<List<Cost>> costs = new ArrayList<>();
    servers.forEach(server -> costs.add(new ArrayList<>()));
    for (int round = -1; round < rounds; round++) {
      for (int i = 0; i < servers.size(); i++) {
        Cost cost = write(servers.get(i), "writes.%s.%d".formatted(i, round + 1));
        // The first round is for the compilers.
        if (round >= 0) {
          costs.get(i).add(cost);
        }
      }
    }
    StringBuilder table = new StringBuilder();
    table.append("| writes | points per CPU second | of the original | server CPU s/M points |");
    table.append(" store CPU s/M points |\n| --- | ---: | ---: | ---: | ---: |\n");
    for (int i = 0; i < servers.size(); i++) {
      table.append(row(servers.get(i), costs.get(i), costs.getFirst()));
    }
    return table.toString();
  }

  private Cost write(Contestant server, String metric) throws IOException, InterruptedException {
    List<Question> writes = stage.writes(metric);
    double serverBefore = server.figures().cpuSeconds();
    double storeBefore = storeSeconds();
    try (Connection connection = new Connection(server.port())) {
      server.askAll(connection, writes);
    }
    awaitQuiet(server);
    return new Cost(server.figures().cpuSeconds() - serverBefore, storeSeconds() - storeBefore);
  }

  private double storeSeconds() throws IOException {
    @Nullable ProcessFigures store = stage.store();
    return store == null ? 0 : store.cpuSeconds();
  }

  private void awaitQuiet(Contestant server) throws IOException, InterruptedException {
    double before = server.figures().cpuSeconds() + storeSeconds();
    for (int i = 0; i < QUIET_SECONDS_MAX; i++) {
      Thread.sleep(1000);
      double now = server.figures().cpuSeconds() + storeSeconds();
      if (now - before < QUIET) {
        return;
      }
      before = now;
    }
    System.err.printf("%s was not quiet within %d s%n", server.name(), QUIET_SECONDS_MAX);
  }

  private String row(Contestant server, List<Cost> of, List<Cost> original) {
    return "| %s | %.0f | %.2f | %.2f | %s |%n"
        .formatted(
            server.name(),
            Trial.median(of.stream().mapToDouble(cost -> points / cost.all()).toArray()),
            // More points are fewer seconds.
            Trial.ratio(original, of, Cost::all),
            perMillion(of, Cost::server),
            stage.store() == null ? "-" : "%.2f".formatted(perMillion(of, Cost::store)));
  }

  private double perMillion(List<Cost> costs, ToDoubleFunction<Cost> figure) {
    return Trial.median(costs.stream().mapToDouble(figure).toArray()) * 1e6 / points;
  }
}
