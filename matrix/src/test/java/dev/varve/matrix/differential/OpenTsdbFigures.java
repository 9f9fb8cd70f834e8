package dev.varve.matrix.differential;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Compares the form of figures, whose values differ between any two processes. */
final class OpenTsdbFigures {
  private static final Set<String> SHARED =
      Set.of("tsd.jvm.ramfree", "tsd.jvm.ramused", "tsd.jvm.thread.count");

  /** The names of the original that Varve lacks. */
  private static final Pattern MISSING =
      Pattern.compile(
          "tsd\\.(connectionmgr|rpc|http|uid|hbase|datapoints|compaction|query)\\..+"
              + "|tsd\\.jvm\\.thread\\.states");

  private static final Pattern OWN =
      Pattern.compile("tsd\\.varve\\..+|tsd\\.jvm\\.(uptime|thread\\.count)");

  /** A figure as a line. */
  private static final Pattern LINE =
      Pattern.compile("(tsd\\.[a-z_.0-9-]+) \\d+ -?[\\d.]+( [a-z]+=\\S+)+");

  private OpenTsdbFigures() {}

  /** Returns whether {@code /api/stats} has the figures that the page lists, in the same form. */
  static boolean ofStats(Answer theirs, Answer ours) {
    Set<String> named = names(JsonTree.read(theirs.body()));
    Set<String> own = names(JsonTree.read(ours.body()));
    return !named.isEmpty() && !own.isEmpty() && areListed(named, own);
  }

  /** Returns the names of figures; none if one has another form. */
  private static Set<String> names(@Nullable Object answer) {
    Set<String> names = new TreeSet<>();
    for (Object one : answer instanceof List<?> list ? list : List.of()) {
      if (!(one instanceof Map<?, ?> figure)
          || !figure.keySet().equals(Set.of("metric", "timestamp", "value", "tags"))
          || !(figure.get("timestamp") instanceof JsonTree.Numeral)
          || !(figure.get("value") instanceof String)
          || !(figure.get("tags") instanceof Map)) {
        return Set.of();
      }
      names.add(String.valueOf(figure.get("metric")));
    }
    return names;
  }

  private static boolean areListed(Set<String> theirs, Set<String> ours) {
    return theirs.stream()
            .allMatch(name -> SHARED.contains(name) || MISSING.matcher(name).matches())
        && ours.stream().allMatch(name -> SHARED.contains(name) || OWN.matcher(name).matches())
        && theirs.stream().filter(SHARED::contains).allMatch(ours::contains);
  }

  /** Returns whether lines are figures that the page lists. */
  static boolean areListed(List<String> theirs, List<String> ours) {
    return !theirs.isEmpty() && !ours.isEmpty() && areListed(names(theirs), names(ours));
  }

  private static Set<String> names(List<String> lines) {
    Set<String> names = new TreeSet<>();
    lines.forEach(line -> names.add(line.substring(0, line.indexOf(' '))));
    return names;
  }

  /** Returns whether a line is a figure. */
  static boolean isLine(String line) {
    return LINE.matcher(line).matches();
  }

  /** Returns whether {@code /api/stats/jvm} has the same members. */
  static boolean ofJvm(Answer theirs, Answer ours) {
    return JsonTree.read(theirs.body()) instanceof Map<?, ?> a
        && JsonTree.read(ours.body()) instanceof Map<?, ?> b
        && shape(a).equals(shape(b));
  }

  /** Returns the members of members; those of collectors and pools have the names of a Java. */
  private static Set<String> shape(Map<?, ?> jvm) {
    Set<String> shape = new TreeSet<>();
    jvm.forEach((part, members) -> {
      if (!(members instanceof Map<?, ?> map)) {
        shape.add(String.valueOf(part));
        return;
      }
      map.forEach((name, value) -> {
        boolean ofJava = part.equals("gc") || part.equals("pools");
        if (ofJava && value instanceof Map<?, ?> one) {
          one.keySet().forEach(member -> shape.add(part + ".*." + member));
        } else {
          shape.add(part + "." + name);
        }
      });
    });
    return shape;
  }

  /** Returns whether {@code /api/stats/threads} lacks nothing but stacks. */
  static boolean ofThreads(Answer theirs, Answer ours) {
    Set<String> members = Set.of("threadID", "name", "state", "interrupted", "priority");
    Set<String> withStack = new TreeSet<>(members);
    withStack.add("stack");
    return allHave(theirs, withStack) && allHave(ours, members);
  }

  private static boolean allHave(Answer answer, Set<String> members) {
    return JsonTree.read(answer.body()) instanceof List<?> list
        && !list.isEmpty()
        && list.stream()
            .allMatch(one -> one instanceof Map<?, ?> map && map.keySet().equals(members));
  }

  /** Returns whether Varve lists no clients of regions, and the original lists some. */
  static boolean ofRegionClients(Answer theirs, Answer ours) {
    return ours.body().equals("[]") && theirs.body().contains("\"rpcsSent\"");
  }
}
