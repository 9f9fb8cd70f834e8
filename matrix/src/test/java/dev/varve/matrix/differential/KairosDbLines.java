package dev.varve.matrix.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Random connections of KairosDB's telnet interface, which answers nothing to lines that write. */
final class KairosDbLines {
  /** From here on KairosDB takes a time of a {@code put} for milliseconds. */
  private static final long MILLIS_FROM = 3_000_000_000L;

  private final Choices choices;
  private int connections;

  KairosDbLines(Choices choices) {
    this.choices = choices;
  }

  /** Returns a connection that writes to a metric of its own. */
  Request any() {
    Set<String> features = choices.begin();
    StringBuilder lines = new StringBuilder();
    for (int i = choices.below(4); i >= 0; i--) {
      lines.append(line()).append('\n');
    }
    connections++;
    return new Request(Server.LINES, "", lines.toString(), Set.copyOf(features));
  }

  private String line() {
    String command = choices.draw("line", "put", "put ", "putm", "puts").strip();
    String value =
        command.equals("puts")
            ? choices.draw("text of a line", "up", "1.5", "7", "\"two words\"", "-")
            : choices.draw(
                "value of a line", "17", "-3", "2.25", "-0.5", "9007199254740993", "word", "1,5");
    String tags =
        choices.draw(
            "tags of a line",
            "host=a",
            "host=b",
            "host=a dc=x",
            "host=a  dc=x",
            "host=a dc=x rack=17",
            "host",
            "host=",
            "=a");
    return String.join(
        " ", command, "line.%03d".formatted(connections), time(command), value, tags);
  }

  private String time(String command) {
    long millis = KairosDbPoints.START + choices.below(3_600_000);
    return switch (choices.draw("time of a line", "usual", "usual ", "usual  ", "other", "word")) {
      case "word" -> choices.pick("now", "1e9", "");
      case "other" ->
          command.equals("put")
              ? choices.pick(String.valueOf(millis), String.valueOf(MILLIS_FROM - 1))
              : choices.pick("1", "-5");
      default -> String.valueOf(command.equals("put") ? millis / 1000 : millis);
    };
  }

  /** Returns requests that read what the lines wrote. */
  List<Request> reads() {
    List<Request> requests = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      requests.add(
          new Request(
              "POST",
              "/api/v1/datapoints/query",
              "{\"start_absolute\":-2000000000000,\"metrics\":[{\"name\":\"line.%03d\",\"group_by\":[{\"name\":\"tag\",\"tags\":[\"host\",\"dc\",\"rack\"]}]}]}"
                  .formatted(i),
              Set.of("reads what was written", "reads lines")));
    }
    return requests;
  }
}
