package dev.varve.matrix.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Random connections of OpenTSDB's telnet interface: some lines, then {@code exit}. */
final class OpenTsdbTelnet {
  private final Choices choices;
  private int written;

  OpenTsdbTelnet(Choices choices) {
    this.choices = choices;
  }

  /** Returns a connection that writes to metrics of its own. */
  Request any() {
    Set<String> features = choices.begin();
    StringBuilder lines = new StringBuilder();
    for (int i = choices.below(3); i >= 0; i--) {
      lines.append(line()).append('\n');
    }
    written++;
    lines.append("exit\n");
    return new Request(Server.LINES, "", lines.toString(), Set.copyOf(features));
  }

  private String line() {
    return switch (choices.draw(
        "line",
        "put",
        "put ",
        "put  ",
        "put   ",
        "rollup",
        "rollup ",
        "histogram",
        "histogram ",
        "stats",
        "version",
        "help",
        "dropcaches",
        "unknown")) {
      case "rollup", "rollup " -> rollup();
      case "histogram", "histogram " -> histogram();
      case "stats" -> "stats";
      case "version" -> "version";
      case "help" -> "help";
      case "dropcaches" -> "dropcaches";
      case "unknown" -> choices.draw("command", "nonsense", "pUT m 1 2 a=b", "exits", "put5 m");
      default -> put();
    };
  }

  private String put() {
    boolean named = !choices.draw("metric of a line", "named", "named ", "empty").equals("empty");
    return "put " + rest(named ? "zline.%03d".formatted(written) : "", value());
  }

  private String value() {
    return choices.draw(
        "value of a line",
        "17",
        "-3",
        "+5",
        "2.25",
        "-1.5e3",
        "2E2",
        "1e400",
        "word",
        "NaN",
        "0x10",
        "9223372036854775807",
        "9223372036854775808",
        "123456789012345678901",
        "-",
        ".",
        "1,5",
        "");
  }

  /** Returns a line behind its command, at times without its end. */
  private String rest(String metric, String value) {
    String time =
        switch (choices.draw(
            "time of a line", "s", "s", "s", "s", "ms", "s.mmm", "zero", "negative", "word", "")) {
          case "s" -> String.valueOf(time());
          case "ms" -> "%d%03d".formatted(time(), choices.below(1000));
          case "s.mmm" -> "%d.%03d".formatted(time(), choices.below(1000));
          case "zero" -> "0";
          case "negative" -> "-5";
          case "word" -> choices.pick("now", "1e9", "17x");
          default -> "";
        };
    String tags =
        choices.draw(
            "tags of a line",
            "host=web01",
            "host=web01 dc=lga",
            "host=web03 host=web03",
            "host=web01 host=web03",
            "host",
            "host=",
            "=web01",
            "host=a=b",
            "none",
            "nothing");
    List<String> words = new ArrayList<>(List.of(metric, time, value));
    switch (tags) {
      case "none" -> words.add("");
      case "nothing" -> words = words.subList(0, choices.below(4));
      default -> words.add(tags);
    }
    return String.join(" ", words);
  }

  private long time() {
    return OpenTsdbPoints.START + choices.below(3600);
  }

  private String rollup() {
    String what =
        choices.draw(
            "roll-up of a line",
            "11m-sum",
            "33m-max",
            "11m-MIN:sum",
            "sum",
            "5m-sum",
            "11m-nonsense",
            "11m-sum:avg",
            "nonsense",
            "-sum",
            "");
    return "rollup %s %s".formatted(what, rest("zlroll.%03d".formatted(written), value()));
  }

  private String histogram() {
    String value =
        choices.draw(
            "histogram of a line",
            "u=1:o=2:0,1.5=3",
            "0,10=7:10,20=1",
            OpenTsdbHistograms.CODEC + " AAEAAAAAQAAAAKwCAAE=",
            "4 AAEAAAAAQAAAAKwCAAE=",
            "0-2=1",
            "0,2,3=1",
            "u=x",
            "0,2",
            "");
    return "histogram " + rest("zlhist.%03d".formatted(written), value);
  }

  /** Returns requests that read what the lines wrote. */
  List<Request> reads() {
    List<Request> requests = new ArrayList<>();
    String query =
        "/api/query?start=%d&end=%d&ms&m=".formatted(OpenTsdbPoints.START, OpenTsdbPoints.END);
    for (int i = 0; i < written; i++) {
      for (String m :
          List.of(
              "none:zline.%03d",
              "none:11m-sum:zlroll.%03d",
              "none:pre-agg:11m-min:zlroll.%03d",
              "none:percentiles%%5B50,99%%5D:zlhist.%03d")) {
        if (m.contains("zline") || choices.oneIn(6)) {
          requests.add(new Request("GET", query + m.formatted(i), null, Set.of("reads lines")));
        }
      }
    }
    return requests;
  }
}
