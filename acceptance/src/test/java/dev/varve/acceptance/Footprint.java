package dev.varve.acceptance;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The memory, file handles and threads that a server uses at one moment, just after a collection.
 *
 * @param at time since the start of the run
 * @param quarter of the run, from 0
 * @param heapMiB objects of the heap that are alive
 * @param nativeMiB resident memory that is not heap
 * @param handles open file handles
 * @param threads threads of the operating system
 */
record Footprint(
    Duration at, int quarter, double heapMiB, double nativeMiB, double handles, double threads) {
  static final Map<String, ToDoubleFunction<Footprint>> FIGURES = figures();

  private static Map<String, ToDoubleFunction<Footprint>> figures() {
    Map<String, ToDoubleFunction<Footprint>> all = new LinkedHashMap<>();
    all.put("heap after collection, MiB", Footprint::heapMiB);
    all.put("resident memory besides heap, MiB", Footprint::nativeMiB);
    all.put("file handles", Footprint::handles);
    all.put("threads", Footprint::threads);
    return all;
  }

  /** Collects garbage in a server and then measures it. */
  static Footprint of(VarveProcess server, Duration at, int quarter)
      throws IOException, InterruptedException {
    String pid = Long.toString(server.pid());
    // Collects and counts in one stop of all threads, so that nothing is allocated in between.
    Heap heap = Heap.of(jcmd(pid, "GC.class_histogram"), jcmd(pid, "GC.heap_info"));
    Path process = Path.of("/proc", pid);
    try (Stream<Path> handles = Files.list(process.resolve("fd"))) {
      return new Footprint(
          at,
          quarter,
          heap.used(),
          status(process, "RssAnon:") / 1024 - heap.committed(),
          handles.count(),
          status(process, "Threads:"));
    }
  }

  /** Writes what the heap and native memory of a server consist of to files with a number. */
  static void describe(VarveProcess server, Path folder, int number)
      throws IOException, InterruptedException {
    String pid = Long.toString(server.pid());
    Files.writeString(folder.resolve("heap-" + number + ".txt"), jcmd(pid, "GC.class_histogram"));
    Files.writeString(folder.resolve("native-" + number + ".txt"), jcmd(pid, "VM.native_memory"));
    Files.writeString(folder.resolve("metrics-" + number + ".txt"), server.get("/metrics").body());
  }

  private static String jcmd(String pid, String command) throws IOException, InterruptedException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    Process process =
        new ProcessBuilder(jcmd.toString(), pid, command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new AssertionError("jcmd " + command + ": " + said);
    }
    return said;
  }

  /** The size of a heap in MiB. */
  private record Heap(double committed, double used) {
    private static final Pattern COMMITTED = Pattern.compile("heap.* committed (\\d+)K");
    private static final Pattern ALL = Pattern.compile("(?m)^Total +\\d+ +(\\d+)$");

    /** What G1 leaves in place of dead objects in regions that it does not compact. */
    private static final Pattern DEAD =
        Pattern.compile("(?m)^ *\\d+: +\\d+ +(\\d+) +\\S*jdk\\.internal\\.vm\\.Filler");

    /**
     * Reads a histogram of classes, and a line such as {@code garbage-first heap total reserved 4K,
     * committed 2K, used 1K}.
     */
    static Heap of(String histogram, String info) {
      double all = sum(ALL, histogram);
      double committed = sum(COMMITTED, info);
      if (all == 0 || committed == 0) {
        throw new AssertionError("no heap in: " + info + histogram);
      }
      return new Heap(committed / 1024, (all - sum(DEAD, histogram)) / (1024 * 1024));
    }

    private static double sum(Pattern numbers, String text) {
      return numbers
          .matcher(text)
          .results()
          .mapToDouble(number -> Double.parseDouble(number.group(1)))
          .sum();
    }
  }

  private static double status(Path process, String key) throws IOException {
    for (String line : Files.readAllLines(process.resolve("status"))) {
      if (line.startsWith(key)) {
        return Double.parseDouble(line.replaceAll("\\D", ""));
      }
    }
    throw new AssertionError(process + "/status does not say " + key);
  }

  /** Returns the median of the last quarter of a run divided by that of the second. */
  static Map<String, Double> growth(List<Footprint> footprints) {
    Map<String, Double> growth = new LinkedHashMap<>();
    FIGURES.forEach((what, figure) ->
        growth.put(what, median(footprints, figure, 3) / median(footprints, figure, 1)));
    return growth;
  }

  /** Returns the median of a quarter, numbered from 0. */
  static double median(
      List<Footprint> footprints, ToDoubleFunction<Footprint> figure, int quarter) {
    double[] sorted =
        footprints.stream().filter(one -> one.quarter() == quarter).mapToDouble(figure).toArray();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
