package dev.varve.bench.compare;

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
 * @param before of another build of Varve, for servers whose name begins with {@code before}
 * @param scale part of the full data sets
 * @param phases of {@code load}, {@code queries}, {@code restart} and {@code half}
 * @param queries part of the name of a query; empty for all
 * @param json where figures go
 * @param bodies where bodies are kept for the next run; null to delete them
 */
record Options(
    Path launcher,
    Path before,
    boolean quick,
    double scale,
    List<String> datasets,
    List<String> servers,
    List<Protocol> protocols,
    Set<String> phases,
    String queries,
    Path json,
    @Nullable Path bodies) {
  static final Set<String> PHASES = Set.of("load", "queries", "restart", "half");

  static final String USAGE =
      """
      usage: Main LAUNCHER [--quick] [scale=0.1] [datasets=tsbs,mixed,churn,sparse,late] [servers=NAME,...]
             [protocols=remote-write,line] [phases=load,queries,restart,half] [queries=TEXT]
             [json=FILE] [bodies=FOLDER] [before=LAUNCHER]
      servers: varve, varve-LAYOUT, before, before-LAYOUT, victoria-metrics, prometheus, influxdb, questdb\
      """;

  private static final Set<String> NAMES =
      Set.of(
          "scale",
          "datasets",
          "servers",
          "protocols",
          "phases",
          "queries",
          "json",
          "bodies",
          "before");

  static Options of(String... arguments) {
    if (arguments.length == 0 || arguments[0].contains("=")) {
      throw new IllegalArgumentException("the first argument must be the launcher of Varve");
    }
    Map<String, String> given = new LinkedHashMap<>();
    boolean quick = false;
    for (String argument : Arrays.asList(arguments).subList(1, arguments.length)) {
      int equal = argument.indexOf('=');
      if (argument.equals("--quick")) {
        quick = true;
      } else if (equal > 0 && NAMES.contains(argument.substring(0, equal))) {
        given.put(argument.substring(0, equal), argument.substring(equal + 1));
      } else {
        throw new IllegalArgumentException("unknown argument '%s'".formatted(argument));
      }
    }
    String bodies = given.get("bodies");
    Set<String> phases = Set.copyOf(list(given, "phases", "load,queries"));
    if (!PHASES.containsAll(phases)) {
      throw new IllegalArgumentException("phases %s are not of %s".formatted(phases, PHASES));
    }
    double scale = Double.parseDouble(given.getOrDefault("scale", quick ? "0.1" : "1"));
    if (!(scale > 0 && scale <= 1)) {
      throw new IllegalArgumentException("scale=%s is not between 0 and 1".formatted(scale));
    }
    return new Options(
        Path.of(arguments[0]).toAbsolutePath(),
        Path.of(given.getOrDefault("before", arguments[0])).toAbsolutePath(),
        quick,
        scale,
        list(given, "datasets", "tsbs,mixed,churn"),
        list(given, "servers", "varve,victoria-metrics,prometheus,influxdb,questdb"),
        list(given, "protocols", "remote-write,line").stream().map(Protocol::named).toList(),
        phases,
        given.getOrDefault("queries", ""),
        Path.of(given.getOrDefault("json", "comparison.json")).toAbsolutePath(),
        bodies == null ? null : Path.of(bodies).toAbsolutePath());
  }

  private static List<String> list(Map<String, String> given, String name, String otherwise) {
    return List.of(given.getOrDefault(name, otherwise).split(","));
  }
}
