package dev.varve.matrix.differential;

import dev.varve.devstores.KairosDb;
import dev.varve.matrix.VarveServer;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** KairosDB 1.3.0 and Varve get the same random points and requests, and answer alike. */
@Execution(ExecutionMode.CONCURRENT)
class KairosDbDifferentialIT {
  private static final int REQUESTS = Integer.getInteger("varve.differential.requests", 500);

  /** Another seed may find another difference, which must not fail an unrelated change. */
  private static final long SEED = Long.getLong("varve.seed", 21);

  @TempDir private static Path directory;

  @Test
  void answersAsKairosDbDoes() {
    Choices choices = new Choices(SEED);
    String layout = choices.pick("blocks", "blocks", "kairosdb");
    try (KairosDb kairos = KairosDb.startOnH2(directory.resolve("kairosdb"));
        VarveServer varve = Datasets.serve(directory.resolve("varve"), layout)) {
      Trial trial =
          new Trial(
              "KairosDB 1.3.0 (in layout " + layout + ")",
              SEED,
              new Server(URI.create("http://127.0.0.1:" + kairos.port()), "", kairos.telnetPort()),
              new Server(varve.address(), "/kairosdb"),
              KairosDbRules.all(layout));
      run(trial, choices);
      Choices late = new Choices(SEED);
      runLate(trial, late);
      Map<String, Set<String>> options = new TreeMap<>(choices.options());
      options.putAll(late.options());
      trial.end(
          List.of(Path.of("..", "docs", "api", "kairosdb.md")),
          Path.of("target", "differential", "kairosdb.md"),
          options);
    }
  }

  private static void run(Trial trial, Choices choices) {
    KairosDbPoints.writes(choices).forEach(trial::send);
    KairosDbRequests requests = new KairosDbRequests(choices, () -> commonIds(trial));
    List<String> changed = new ArrayList<>();
    for (int i = 0; i < REQUESTS / 8; i++) {
      note(trial.send(requests.write()), requests, changed);
    }
    settle();
    while (trial.requests() < REQUESTS * 3 / 4) {
      note(trial.send(requests.any()), requests, changed);
    }
    settle();
    List<String> written = requests.written();
    written.removeAll(changed);
    KairosDbRequests.read(written).forEach(trial::send);
    while (trial.requests() < REQUESTS) {
      trial.send(requests.delete());
      trial.send(requests.readRest());
    }
  }

  /** Sends lines, and requests about the runs of the roll-ups that there are. */
  private static void runLate(Trial trial, Choices choices) {
    KairosDbLines lines = new KairosDbLines(choices);
    for (int i = 0; i < REQUESTS / 20; i++) {
      trial.send(lines.any());
    }
    KairosDbRuns runs = new KairosDbRuns(choices, () -> commonIds(trial));
    for (int i = 0; i < REQUESTS / 20; i++) {
      trial.send(runs.any());
    }
    settle();
    lines.reads().forEach(trial::send);
  }

  /**
   * Notes the metrics of a write to which the answers differ, as then the points do, and of a query
   * that fails while it saves points.
   */
  private static void note(Case both, KairosDbRequests requests, List<String> changed) {
    boolean failed = both.theirs().status() == 500 && both.request().json().contains("save_as");
    if (!both.equal() || failed) {
      requests.written().stream()
          .filter(metric -> both.request().json().contains('"' + metric + '"'))
          .forEach(changed::add);
    }
  }

  private static List<String> commonIds(Trial trial) {
    List<String> ids = new ArrayList<>(trial.original().names().keySet());
    ids.retainAll(trial.varve().names().keySet());
    return ids;
  }

  /** KairosDB answers before it has written. */
  private static void settle() {
    Awaitility.await().pollDelay(Duration.ofMillis(1500)).until(() -> true);
  }
}
