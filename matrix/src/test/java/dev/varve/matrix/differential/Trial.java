package dev.varve.matrix.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** Sends requests to an original and to Varve, and keeps what differs for a report. */
final class Trial {
  private static final int SHOWN = 40;

  /** Number of times that a query is repeated if the answers differ. */
  private static final int REPEATED = 3;

  private static final int SETTLING = 40;

  /** Number of requests that contain every option of the generators; fewer may lack rare ones. */
  private static final int COMPLETE = 3000;

  private final String name;
  private final long seed;
  private final Server original;
  private final Server varve;
  private final List<Rule> rules;

  private final Map<Rule, Integer> fired = new LinkedHashMap<>();
  private final Map<String, int[]> byFeature = new TreeMap<>();
  private final Map<Integer, Integer> byStatus = new TreeMap<>();
  private final List<String> unexplained = new ArrayList<>();
  private final List<Request> sent = new ArrayList<>();
  private int equal;
  private int wavering;
  private int unanswered;

  /**
   * Begins a trial.
   *
   * @param name of the original
   * @param rules the known differences
   */
  Trial(String name, long seed, Server original, Server varve, List<Rule> rules) {
    this.name = name;
    this.seed = seed;
    this.original = original;
    this.varve = varve;
    this.rules = rules;
  }

  Server original() {
    return original;
  }

  Server varve() {
    return varve;
  }

  int requests() {
    return sent.size();
  }

  /** Sends a request to both servers and compares the answers. */
  Case send(Request request) {
    original.begin(sent.size());
    varve.begin(sent.size());
    Case both = new Case(request, original.send(request), varve.send(request));
    if (request.isRepeatable()) {
      // The original at times answers a query in several ways.
      for (int i = 0; i < REPEATED && !unexplained(both).isEmpty(); i++) {
        Case again = new Case(request, original.send(request), both.ours());
        if (unexplained(again).size() < unexplained(both).size()) {
          wavering++;
          both = again;
        }
      }
    }
    Answer theirs = both.theirs();
    sent.add(request);
    byStatus.merge(theirs.status(), 1, Integer::sum);
    boolean explained = explain(both);
    for (String feature : request.features()) {
      int[] counts = byFeature.computeIfAbsent(feature, none -> new int[3]);
      counts[0]++;
      counts[1] += theirs.status() / 100 == 2 ? 1 : 0;
      counts[2] += explained ? 0 : 1;
    }
    return both;
  }

  /** Sends a request once both servers give the same answer, or after some seconds. */
  Case sendOnceSettled(Request request) {
    for (int i = 0; i < SETTLING; i++) {
      if (Difference.between(original.send(request), varve.send(request)).isEmpty()) {
        break;
      }
      Awaitility.await().pollDelay(Duration.ofMillis(300)).until(() -> true);
    }
    return send(request);
  }

  /** Returns the differences that no rule covers. */
  private List<Difference> unexplained(Case both) {
    return both.differences().stream().filter(one -> ruleFor(both, one) == null).toList();
  }

  /** Counts a case, and returns whether a rule covers each difference. */
  private boolean explain(Case both) {
    if (both.theirs().status() < 0 && both.theirs().body().contains("timed out")) {
      // The original has not answered in time, which says nothing of Varve.
      unanswered++;
      return true;
    }
    equal += both.equal() ? 1 : 0;
    List<Difference> open = unexplained(both);
    both.differences().stream()
        .flatMap(one -> Stream.ofNullable(ruleFor(both, one)))
        .distinct()
        .forEach(rule -> fired.merge(rule, 1, Integer::sum));
    if (!open.isEmpty()) {
      unexplained.add(
          "%s\n  %s\n  %s: %s\n  Varve: %s"
              .formatted(
                  both.request(),
                  open.size() > 3 ? open.subList(0, 3) + " and more" : open,
                  name,
                  shortened(both.theirs().toString()),
                  shortened(both.ours().toString())));
    }
    return open.isEmpty();
  }

  private @Nullable Rule ruleFor(Case both, Difference difference) {
    for (Rule rule : rules) {
      if (rule.covers().test(both, difference)) {
        return rule;
      }
    }
    return null;
  }

  private static String shortened(String text) {
    return text.length() <= 1500 ? text : text.substring(0, 1500) + "...";
  }

  /**
   * Writes the report, and fails if an answer differs without a rule, a rule has no place on the
   * page, or one of many requests should have had an option that none had.
   *
   * @param pages the pages of the API
   * @param options all options of the generator
   */
  void end(List<Path> pages, Path report, Map<String, Set<String>> options) {
    Set<String> missing = new TreeSet<>();
    options.values().forEach(missing::addAll);
    missing.removeAll(byFeature.keySet());
    try {
      Files.createDirectories(report.toAbsolutePath().getParent());
      // A text may end within a character, which writeString refuses.
      Files.write(report, report(missing).getBytes(StandardCharsets.UTF_8));
      StringBuilder all = new StringBuilder();
      for (Path page : pages) {
        all.append(Files.readString(page)).append(' ');
      }
      String text = all.toString().replaceAll("\\s+", " ");
      assertThat(rules)
          .as("known differences are on %s", pages)
          .allSatisfy(rule -> assertThat(text).contains(rule.documented()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (sent.size() >= COMPLETE) {
      assertThat(missing).as("options that no request had; see %s", report).isEmpty();
    }
    assertThat(unexplained.stream().limit(SHOWN).toList())
        .as(
            "-Dvarve.seed=%d: %d of %d answers differ from those of %s; see %s",
            seed, unexplained.size(), sent.size(), name, report)
        .isEmpty();
  }

  private String report(Set<String> missing) {
    StringBuilder text = new StringBuilder();
    text.append("# Varve beside %s\n\n".formatted(name));
    text.append(
        "Seed %d. %d requests, %d answers equal, %d differ as documented, %d otherwise.\n\n"
            .formatted(
                seed,
                sent.size(),
                equal,
                sent.size() - equal - unanswered - unexplained.size(),
                unexplained.size()));
    text.append(
        "%d times the original answered otherwise when asked again, and %d times not at all.\n\n"
            .formatted(wavering, unanswered));
    text.append("Statuses of the original: ").append(byStatus).append("\n\n");
    text.append("| known difference | requests |\n| --- | --- |\n");
    rules.forEach(rule ->
        text.append(
            "| %s | %s |\n"
                .formatted(
                    rule.documented().replace("|", "\\|"),
                    fired.containsKey(rule) ? String.valueOf(fired.get(rule)) : "never")));
    text.append("\n| feature | requests | succeed | differ |\n| --- | --- | --- | --- |\n");
    byFeature.forEach((feature, counts) ->
        text.append(
            "| %s | %d | %d | %d |\n"
                .formatted(feature.replace("|", "\\|"), counts[0], counts[1], counts[2])));
    missing.forEach(feature -> text.append("| %s | 0 | | |\n".formatted(feature)));
    text.append("\n## Unexplained\n\n");
    unexplained.forEach(one -> text.append("- ").append(one).append('\n'));
    text.append("\n## Requests in order\n\n");
    sent.forEach(one -> text.append("- ").append(one).append('\n'));
    return text.toString();
  }
}
