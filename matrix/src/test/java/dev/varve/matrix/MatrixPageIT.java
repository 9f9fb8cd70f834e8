package dev.varve.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.store.contract.Tally;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;

/**
 * The page that shows which layout was tested on which store is generated from the counts of this
 * build's tests. {@code -Dvarve.matrix.write=true} writes it.
 */
class MatrixPageIT {
  private static final Path PAGE = Path.of("..", "docs", "stores", "matrix.md");
  private static final List<String> STORES =
      List.of("memory", "rocksdb", "bigtable", "hbase", "cassandra");

  @Test
  void thePageSaysWhatTheTestsCounted() throws IOException {
    String page = page();
    if (Boolean.getBoolean("varve.matrix.write")) {
      Files.writeString(PAGE, page);
    }
    assertThat(PAGE).as("write it anew with -Dvarve.matrix.write=true").exists().hasContent(page);
  }

  private static String page() throws IOException {
    StringBuilder page = new StringBuilder(HEAD);
    heading(page);
    List<Tally.Counts> contract = new ArrayList<>();
    for (String store : STORES) {
      contract.add(contract(store));
    }
    line(page, "*the store contract*", contract, counts -> counts.kept() + counts.declared());
    line(page, "*declared gaps in it*", contract, Tally.Counts::declared);
    Map<String, Map<String, Integer>> counts = new TreeMap<>();
    Set<String> layouts = new TreeSet<>();
    for (String store : STORES) {
      Map<String, Integer> counted = Counts.read(store);
      counts.put(store, counted);
      layouts.addAll(counted.keySet());
    }
    for (String layout : layouts) {
      page.append("| ").append(layout).append(" |");
      for (String store : STORES) {
        int checks = counts.getOrDefault(store, Map.of()).getOrDefault(layout, 0);
        page.append(' ').append(checks).append(" |");
      }
      page.append('\n');
    }
    words(page);
    return page.toString();
  }

  private static void line(
      StringBuilder page,
      String name,
      List<Tally.Counts> stores,
      ToIntFunction<Tally.Counts> count) {
    page.append("| ").append(name).append(" |");
    stores.forEach(store -> page.append(' ').append(count.applyAsInt(store)).append(" |"));
    page.append('\n');
  }

  private static void heading(StringBuilder page) {
    page.append("| |");
    STORES.forEach(store -> page.append(' ').append(store).append(" |"));
    page.append("\n| --- |").append(" ---: |".repeat(STORES.size())).append('\n');
  }

  /** Adds the stores' descriptions of themselves. */
  private static void words(StringBuilder page) throws IOException {
    page.append(WORDS);
    heading(page);
    List<Map<String, String>> words = new ArrayList<>();
    for (String store : STORES) {
      words.add(StoreWords.read(store));
    }
    for (String line : words.getFirst().keySet()) {
      page.append("| ").append(line).append(" |");
      words.forEach(of -> page.append(' ').append(of.get(line)).append(" |"));
      page.append('\n');
    }
  }

  private static final String HEAD =
      """
      # Which layouts are tested on which store

      Every number counts promises that `.ci/run` tests on that store; the build compares this page with its counts.

      - The first line counts the promises of the store contract. The second counts those that the store declares as gaps.
        Their tests run as well and must fail as declared; a store's own page gives the reasons.
      - The line of a layout counts the promises of the layout contract that depend on the store, each with %d seeds. One of
        them is that the store holds the same cells as memory.
      - A layout of the catalog also has a dataset that the engine writes, reads and explains. It must answer like one in
        memory, sample for sample and in the same order. The estimate of `explain` must be within a factor of two of what
        was read. Scripts of PromQL with every function, operator and form must get the answers that they state.
      - The parts of the layout contract that use no store (codecs, refusals, damaged cells) run in module
        `layout-contract`.
      - A layout whose name begins with `declared-` is a combination of key parts that is tested in addition.

      The tests are in module `matrix`; `-Dvarve.matrix.tries=100` runs more seeds.

      """
          .formatted(LayoutsOnStore.TRIES_OF_A_CHECK);

  private static final String WORDS =
      """

      ## What each store reports

      Each store reports these capabilities when it is opened. The contract tests them, and
      [guardrails](../guardrails.md) use them. KB, MB and GB are 2^10, 2^20 and 2^30 bytes. A layout that must run
      everywhere keeps to the smallest number of a line.

      """;

  /** Returns the counts of a store's contract in this build. */
  private static Tally.Counts contract(String store) throws IOException {
    Path root = Path.of("..");
    boolean memory = store.equals("memory");
    return Tally.Counts.read(
        memory ? root.resolve("store-contract") : root.resolve("stores").resolve(store), store);
  }
}
