package dev.varve.matrix.differential;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;

/** The differences from OpenTSDB's telnet interface that its page lists. */
final class OpenTsdbLineRules {
  private static final String COMMANDS = "available commands: ";

  private OpenTsdbLineRules() {}

  static List<Rule> all() {
    return List.of(
        rule("`version` has one line", "version"),
        rule("`help` also lists", "help"),
        rule("`stats` has fewer figures", "stats"),
        rule("whose buckets cannot be read get an answer", "histogram"));
  }

  /** A rule of connections that have a command, if nothing else differs. */
  private static Rule rule(String documented, String command) {
    return new Rule(
        documented,
        (both, difference) ->
            both.request().method().equals(Server.LINES)
                && String.valueOf(both.request().body())
                    .lines()
                    .anyMatch(line -> line.startsWith(command))
                && differAsListed(both));
  }

  private static boolean differAsListed(Case both) {
    List<String> theirs = lines(both.theirs());
    List<String> ours = lines(both.ours());
    List<String> theirRest = rest(theirs);
    // A histogram that the original does not read is not answered at all.
    List<String> ourRest = new ArrayList<>();
    int at = 0;
    for (String line : rest(ours)) {
      boolean same = at < theirRest.size() && theirRest.get(at).equals(line);
      if (same || !line.startsWith("histogram: ")) {
        ourRest.add(line);
        at++;
      }
    }
    List<String> figures = theirs.stream().filter(OpenTsdbFigures::isLine).toList();
    List<String> own = ours.stream().filter(OpenTsdbFigures::isLine).toList();
    return theirRest.equals(ourRest)
        && (figures.isEmpty() ? own.isEmpty() : OpenTsdbFigures.areListed(figures, own));
  }

  private static List<String> lines(Answer answer) {
    return JsonTree.read(answer.body()) instanceof List<?> list
        ? list.stream().map(String::valueOf).toList()
        : List.of(answer.body());
  }

  /** Returns the lines without figures, in which versions and lists of commands are alike. */
  private static List<String> rest(List<String> lines) {
    List<String> rest = new ArrayList<>();
    for (String line : lines) {
      if (line.startsWith("net.opentsdb.tools ")) {
        rest.add("version");
      } else if (line.startsWith(COMMANDS)) {
        TreeSet<String> commands =
            new TreeSet<>(Arrays.asList(line.substring(COMMANDS.length()).split(" ")));
        commands.removeAll(List.of("diediedie", "putm", "puts"));
        rest.add(commands.toString());
      } else if (!line.startsWith("Built on ") && !OpenTsdbFigures.isLine(line)) {
        rest.add(line);
      }
    }
    return rest;
  }
}
