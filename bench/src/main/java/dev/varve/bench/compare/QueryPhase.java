package dev.varve.bench.compare;

import java.io.IOException;
import java.util.List;

/**
 * Asks a loaded server all types of queries of a data set, first cold and compared, then measured.
 */
final class QueryPhase {
  private final Options options;
  private final Results results;
  private final Answers answers;
  private final DataSet data;

  QueryPhase(Options options, Results results, Answers answers, DataSet data) {
    this.options = options;
    this.results = results;
    this.answers = answers;
    this.data = data;
  }

  /**
   * Asks the queries.
   *
   * @param state of the server; empty right after writing
   */
  void run(Running server, String state) throws IOException {
    List<QueryType> types =
        QueryType.of(data).stream()
            .filter(type -> type.name().contains(options.queries()))
            .filter(type -> type.isIn(server.product().language()))
            .toList();
    if (types.isEmpty()) {
      return;
    }
    server.figures().forgetPeak();
    for (QueryType type : types) {
      warmUp(server, type, state);
    }
    for (QueryType type : types) {
      try (Connection connection = new Connection(server.port())) {
        QueryRun run = new QueryRun(server, asking(server, connection), options.quick());
        add(server.product(), type, state, run.measure(type.questions(QueryRun.QUESTIONS)));
      } catch (IOException e) {
        results.note(
            "%s failed to answer %s: %s"
                .formatted(server.product().name(), type.name(), e.getMessage()));
      }
    }
    add(server.product(), "all", state, Measures.QUERY_RSS, server.figures().peakBytes() / 1e6);
  }

  private static Asking asking(Running server, Connection connection) {
    return new Asking(connection, server.product().language());
  }

  private void warmUp(Running server, QueryType type, String state) {
    List<Question> questions = type.questions(QueryRun.QUESTIONS);
    try (Connection connection = new Connection(server.port())) {
      QueryRun run = new QueryRun(server, asking(server, connection), options.quick());
      answers.compare(server.product(), data, type, run.answers(questions));
      double cpuMillis = run.warmUp(questions);
      add(server.product(), type.name(), state, Measures.WARMING_CPU, cpuMillis);
    } catch (IOException e) {
      // The measurement fails likewise and says so.
      Progress.say("%s: %s".formatted(type.name(), e.getMessage()));
    }
  }

  private void add(Product product, QueryType type, String state, QueryRun.Cost cost) {
    add(product, type.name(), state, Measures.QUERY_CPU, cost.cpuMillis());
    add(product, type.name(), state, Measures.MEDIAN, cost.percentile(0.5));
    add(product, type.name(), state, Measures.P95, cost.percentile(0.95));
    add(product, type.name(), state, Measures.ANSWER, cost.bytes() / 1e3);
    Progress.say(
        "%s %s %s: %.3g ms, CPU %.3g ms, %,d runs"
            .formatted(
                product.name(),
                type.name(),
                state,
                cost.percentile(0.5),
                cost.cpuMillis(),
                cost.millis().length));
  }

  private void add(Product product, String query, String state, String measure, double value) {
    results
        .figures()
        .add(new Figure(product.name(), data.name(), state, query, measure, value, false));
  }
}
