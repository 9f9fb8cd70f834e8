package dev.varve.bench.originals;

import dev.varve.bench.compare.Connection;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Asks all servers of a stage the same question, in short turns, so that other load of the machine
 * affects them alike. Ratios are medians of the ratios of single rounds.
 */
final class Trial {
  private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?([eE][+-]?\\d+)?");
  private static final Duration WAIT_MAX = Duration.ofMinutes(2);

  private final Stage stage;
  private final Options options;

  Trial(Stage stage, Options options) {
    this.stage = stage;
    this.options = options;
  }

  /** Returns a table in Markdown. */
  String run() throws IOException, InterruptedException {
    StringBuilder table = new StringBuilder("## " + stage.title() + "\n\n");
    table.append(
        "| question | server | ms | server CPU ms | store CPU ms | of the original: time | server"
            + " CPU | store CPU |\n");
    table.append("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (Question question : stage.questions()) {
      if (question.name().contains(options.queries())) {
        table.append(ask(question));
      }
    }
    // Writes come last, since they add metrics.
    if ("writes".contains(options.queries())) {
      String writes = new Writes(stage, options).run();
      System.err.print(writes);
      table.append('\n').append(writes);
    }
    return table.toString();
  }

  /** A server, a connection to it, and its turns at one question. */
  private record Seat(Contestant server, Connection connection, List<Turn> turns)
      implements AutoCloseable {
    String numbers(Question question) throws IOException {
      return Trial.numbers(server.ask(connection, question));
    }

    @Override
    public void close() throws IOException {
      connection.close();
    }
  }

  private String ask(Question question) throws IOException, InterruptedException {
    List<Seat> seats = new ArrayList<>();
    try {
      for (Contestant server : stage.all()) {
        seats.add(new Seat(server, new Connection(server.port()), new ArrayList<>()));
      }
      String disagreement = disagreement(question, seats);
      for (int round = -1; round < options.rounds(); round++) {
        for (Seat seat : seats) {
          Turn turn =
              Turn.of(
                  seat.server(), stage.store(), seat.connection(), question, options.turnSeconds());
          // The first round is for the compilers.
          if (round >= 0) {
            seat.turns().add(turn);
          }
        }
      }
      StringBuilder rows = new StringBuilder();
      for (Seat seat : seats) {
        rows.append(
            row(question.name(), seat.server().name(), seat.turns(), seats.getFirst().turns()));
      }
      System.err.print(rows);
      return disagreement + rows;
    } finally {
      Closing.all(seats);
    }
  }

  /** Asks until the answers have the same numbers; returns rows that tell if they do not. */
  private static String disagreement(Question question, List<Seat> seats)
      throws IOException, InterruptedException {
    StringBuilder rows = new StringBuilder();
    String wanted = seats.getFirst().numbers(question);
    for (Seat seat : seats.subList(1, seats.size())) {
      long end = System.nanoTime() + WAIT_MAX.toNanos();
      String got = seat.numbers(question);
      while (!got.equals(wanted) && System.nanoTime() < end) {
        Thread.sleep(1000);
        got = seat.numbers(question);
      }
      if (!got.equals(wanted)) {
        rows.append(
            "| %s | %s | answers differ: %s, the original %s | | | | | |%n"
                .formatted(question.name(), seat.server().name(), got, wanted));
      }
    }
    return rows.toString();
  }

  /** Returns the count and sum of the numbers in an answer, which do not depend on their order. */
  private static String numbers(String answer) {
    double sum = 0;
    int count = 0;
    Matcher number = NUMBER.matcher(answer);
    while (number.find()) {
      sum += Double.parseDouble(number.group());
      count++;
    }
    return "%d numbers, sum %.9e".formatted(count, sum);
  }

  private String row(String question, String server, List<Turn> of, List<Turn> original) {
    boolean apart = stage.store() != null;
    return "| %s | %s | %.2f | %.2f | %s | %.2f | %.2f | %s |%n"
        .formatted(
            question,
            server,
            median(of, Turn::millis),
            median(of, Turn::serverMillis),
            apart ? "%.2f".formatted(median(of, Turn::storeMillis)) : "-",
            ratio(of, original, Turn::millis),
            ratio(of, original, Turn::serverMillis),
            apart ? "%.2f".formatted(ratio(of, original, Turn::storeMillis)) : "-");
  }

  /** Returns the median of the ratios of rounds. */
  static <T> double ratio(List<T> of, List<T> to, ToDoubleFunction<T> figure) {
    double[] ratios = new double[of.size()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = figure.applyAsDouble(of.get(i)) / figure.applyAsDouble(to.get(i));
    }
    return median(ratios);
  }

  private static double median(List<Turn> turns, ToDoubleFunction<Turn> figure) {
    return median(turns.stream().mapToDouble(figure).toArray());
  }

  static double median(double... numbers) {
    Arrays.sort(numbers);
    return numbers[numbers.length / 2];
  }
}
