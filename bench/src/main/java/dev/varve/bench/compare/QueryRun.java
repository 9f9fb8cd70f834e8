package dev.varve.bench.compare;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Asks a server the queries of one type, one at a time over one connection.
 *
 * @param quick whether to ask few queries, which suffices to try the benchmark out
 */
record QueryRun(Running server, Asking asking, boolean quick) {
  /** Number of different queries of a type, which are sent in turn. */
  static final int QUESTIONS = 1_000;

  private static final int RUNS_MAX = 20_000;
  private static final double WALL_SECONDS_MAX = 60;

  /**
   * Number of queries between two reads of the processor time, unless one is slow. The time is
   * counted in steps of 10 ms.
   */
  private static final int LOOK_EVERY = 20;

  /**
   * The cost of a type of query.
   *
   * @param millis sorted times from request to the end of the answer
   * @param cpuMillis of the server, for each query
   * @param bytes of an answer, on average
   */
  record Cost(double[] millis, double cpuMillis, double bytes) {
    double percentile(double part) {
      return millis[(int) Math.min(millis.length - 1L, (long) (millis.length * part))];
    }
  }

  private int runsMin() {
    return quick ? 5 : 20;
  }

  private double cpuSecondsMin() {
    return quick ? 0.3 : 2;
  }

  private double warmUpSeconds() {
    return quick ? 0.5 : 10;
  }

  /**
   * Asks queries of a type for some seconds, because a server is slow with what it has not done
   * before: caches are empty, and the JVM compiles.
   *
   * @return processor time of a query meanwhile, in ms
   */
  double warmUp(List<Question> questions) throws IOException {
    ProcessFigures figures = server.figures();
    double before = figures.cpuSeconds();
    long until = System.nanoTime() + (long) (1e9 * warmUpSeconds());
    int runs = 0;
    while (runs < 3 || System.nanoTime() < until) {
      asking.ask(questions.get(runs++ % questions.size()));
    }
    return (figures.cpuSeconds() - before) * 1_000 / runs;
  }

  /** Asks the first queries and returns their answers. */
  List<Answer> answers(List<Question> questions) throws IOException {
    List<Answer> answers = new ArrayList<>();
    for (Question question : questions.subList(0, Answers.COMPARED)) {
      asking.ask(question);
      answers.add(asking.answer(question));
    }
    return answers;
  }

  Cost measure(List<Question> questions) throws IOException {
    double[] millis = new double[RUNS_MAX];
    int runs = 0;
    long bytes = 0;
    long begun = System.nanoTime();
    ProcessFigures figures = server.figures();
    double before = figures.cpuSeconds();
    double cpu = 0;
    while (runs < RUNS_MAX) {
      long start = System.nanoTime();
      asking.ask(questions.get(runs % questions.size()));
      bytes += asking.connection().length();
      long now = System.nanoTime();
      millis[runs++] = (now - start) / 1e6;
      boolean late = (now - begun) / 1e9 > WALL_SECONDS_MAX;
      if (runs >= runsMin() && (runs % LOOK_EVERY == 0 || late || now - start > 50_000_000)) {
        cpu = figures.cpuSeconds() - before;
        if (cpu >= cpuSecondsMin() || late) {
          break;
        }
      }
    }
    cpu = figures.cpuSeconds() - before;
    double[] sorted = Arrays.copyOf(millis, runs);
    Arrays.sort(sorted);
    return new Cost(sorted, cpu * 1_000 / runs, bytes / (double) runs);
  }
}
