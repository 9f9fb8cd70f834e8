package dev.varve.matrix.differential;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The differences from OpenTSDB's telnet interface that its page lists. */
final class OpenTsdbLineRules {
  private static final String COMMANDS = "available commands: ";

  private OpenTsdbLineRules() {}

  /** Refusals of points that Varve takes. */
  private static final Pattern TAKEN =
      Pattern.compile("put: illegal argument: invalid (tag: host=a=b|timestamp: 0)");

  /** Refusals of such points by the layout {@code opentsdb}, which come after other answers. */
  private static final Pattern REFUSED_BY_LAYOUT =
      Pattern.compile(
          "put: illegal argument: zline\\..*OpenTSDB (takes the letters|holds 1 to ).*");

  private static final Pattern UNKNOWN_LINE =
      Pattern.compile("No such name for 'metrics': 'zline\\.");

  /** A point of telnet's {@code rollup} or {@code histogram}. */
  private static final Pattern UNKNOWN_OTHER =
      Pattern.compile("No such name for 'metrics': 'zl(roll|hist)\\.");

  private static final Pattern TAKEN_POINT = Pattern.compile("\"host\":\"a=b\"|^\\[]$");

  static List<Rule> all() {
    return List.of(
        rule("`version` has one line", "version"),
        rule("`help` also lists", "help"),
        rule("`stats` has fewer figures", "stats"),
        rule("whose buckets cannot be read get an answer", "histogram"),
        rule("A `put` may have the time 0, and values of tags may have `=`.", "put"),
        rule("after `bad timestamp=` the value is as sent", "rollup"),
        new Rule(
            "A `put` may have the time 0, and values of tags may have `=`.",
            (both, difference) ->
                both.request().has("reads lines")
                    && both.statuses(400, 200)
                    && both.says(UNKNOWN_LINE)
                    && TAKEN_POINT.matcher(both.ours().body()).find()),
        new Rule(
            "the original also knows names of points that it refused",
            (both, difference) ->
                both.request().has("reads lines")
                    && both.statuses(200, 400)
                    && both.theirs().body().equals("[]")
                    && UNKNOWN_OTHER.matcher(both.ours().body()).find()));
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
    List<String> theirRest = withoutTaken(rest(theirs), rest(ours));
    // A histogram that the original does not read is not answered at all.
    List<String> ourRest = new ArrayList<>();
    int at = 0;
    for (String line : withoutRefused(rest(ours))) {
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

  /** Leaves out refusals of points that Varve takes. */
  private static List<String> withoutTaken(List<String> theirs, List<String> ours) {
    List<String> rest = new ArrayList<>();
    for (String line : theirs) {
      boolean same = ours.contains(line);
      if (same || !TAKEN.matcher(line).matches()) {
        rest.add(line);
      }
    }
    return rest;
  }

  private static List<String> withoutRefused(List<String> ours) {
    return ours.stream().filter(line -> !REFUSED_BY_LAYOUT.matcher(line).matches()).toList();
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
      } else if (line.startsWith("rollup: illegal argument: bad timestamp=")) {
        rest.add(line.replaceFirst("value=.+? to metric", "value to metric"));
      } else if (!line.startsWith("Built on ") && !OpenTsdbFigures.isLine(line)) {
        rest.add(line);
      }
    }
    return rest;
  }
}
