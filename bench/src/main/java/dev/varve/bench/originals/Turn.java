package dev.varve.bench.originals;

import dev.varve.bench.compare.Connection;
import dev.varve.bench.compare.ProcessFigures;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cost of a question for a server in one turn.
 *
 * @param millis median time of an answer
 * @param serverMillis processor time of the server per answer
 * @param storeMillis processor time of the store per answer; 0 if it is in the server's process
 */
record Turn(double millis, double serverMillis, double storeMillis) {
  /** Asks as long as a turn lasts, at least three times. */
  static Turn of(
      Contestant server,
      @Nullable ProcessFigures store,
      Connection connection,
      Question question,
      double seconds)
      throws IOException {
    List<Long> times = new ArrayList<>();
    double serverBefore = server.figures().cpuSeconds();
    double storeBefore = seconds(store);
    long start = System.nanoTime();
    long now = start;
    while (times.size() < 3 || now - start < seconds * 1e9) {
      server.ask(connection, question);
      long then = System.nanoTime();
      times.add(then - now);
      now = then;
    }
    double perAnswer = 1000.0 / times.size();
    times.sort(null);
    return new Turn(
        times.get(times.size() / 2) / 1e6,
        (server.figures().cpuSeconds() - serverBefore) * perAnswer,
        (seconds(store) - storeBefore) * perAnswer);
  }

  private static double seconds(@Nullable ProcessFigures store) throws IOException {
    return store == null ? 0 : store.cpuSeconds();
  }
}
