package dev.varve.bench.originals;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The options of a run.
 *
 * @param launcher of Varve
 * @param before of another build of Varve, which is measured too; null for none
 * @param originals of {@code kairosdb-h2}, {@code kairosdb} and {@code opentsdb}
 * @param series of the one metric, a multiple of 4
 * @param samples of each series, one a minute
 * @param rounds how often each server has a turn at each question
 * @param turnSeconds length of a turn
 * @param queries part of the name of a question, or of {@code writes}; empty for all
 */
record Options(
    Path launcher,
    @Nullable Path before,
    List<String> originals,
    int series,
    int samples,
    int rounds,
    double turnSeconds,
    String queries) {
  static final String USAGE =
      """
      usage: Main LAUNCHER [originals=kairosdb-h2,kairosdb,opentsdb] [series=500] [samples=720] [rounds=7]
             [turn=2] [queries=TEXT] [before=LAUNCHER]\
      """;

  private static final Set<String> NAMES =
      Set.of("originals", "series", "samples", "rounds", "turn", "queries", "before");

  private static final Set<String> ORIGINALS = Set.of("kairosdb-h2", "kairosdb", "opentsdb");

  static Options of(String... arguments) {
    if (arguments.length == 0 || arguments[0].contains("=")) {
      throw new IllegalArgumentException("the first argument must be the launcher of Varve");
    }
    Map<String, String> given = new LinkedHashMap<>();
    for (String argument : Arrays.asList(arguments).subList(1, arguments.length)) {
      int equal = argument.indexOf('=');
      if (equal < 1 || !NAMES.contains(argument.substring(0, equal))) {
        throw new IllegalArgumentException("unknown argument '%s'".formatted(argument));
      }
      given.put(argument.substring(0, equal), argument.substring(equal + 1));
    }
    List<String> originals =
        List.of(given.getOrDefault("originals", "kairosdb-h2,kairosdb,opentsdb").split(","));
    if (!ORIGINALS.containsAll(originals)) {
      throw new IllegalArgumentException(
          "originals %s are not of %s".formatted(originals, ORIGINALS));
    }
    String before = given.get("before");
    return new Options(
        Path.of(arguments[0]).toAbsolutePath(),
        before == null ? null : Path.of(before).toAbsolutePath(),
        originals,
        number(given, "series", 500),
        number(given, "samples", 720),
        number(given, "rounds", 7),
        number(given, "turn", 2),
        given.getOrDefault("queries", ""));
  }

  private static int number(Map<String, String> given, String name, int otherwise) {
    String text = given.getOrDefault(name, String.valueOf(otherwise));
    if (!text.matches("[1-9]\\d{0,6}")) {
      throw new IllegalArgumentException(
          "%s=%s is not a number from 1 to 9,999,999".formatted(name, text));
    }
    return Integer.parseInt(text);
  }
}
