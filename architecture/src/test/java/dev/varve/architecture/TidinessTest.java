package dev.varve.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Pages have one form, their links resolve, and sources have no leftover marks. */
class TidinessTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final int LINE_MAX = 120;

  /** Folders that are built, downloaded or written by tests. */
  private static final Set<String> NOT_OURS =
      Set.of(".git", "target", "varve-data", "varve-dev", "node_modules", ".mvn");

  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");

  /** A class with its package, relative to {@code dev.varve}, perhaps with a method. */
  private static final Pattern CLASS_NAME =
      Pattern.compile("`((?:[a-z0-9]+\\.)+[A-Z]\\w*)(?:\\.[a-z]\\w*)?`");

  private static final Pattern CODE = Pattern.compile("`[^`]*`");
  private static final List<String> KINDS =
      List.of("Breaking", "Added", "Changed", "Fixed", "Performance", "Security");

  private static final Map<Path, List<String>> PAGES = new TreeMap<>();
  private static final List<Path> SOURCES = new ArrayList<>();

  @BeforeAll
  static void read() throws IOException {
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return NOT_OURS.contains(String.valueOf(folder.getFileName()))
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            String name = String.valueOf(file.getFileName());
            if (name.endsWith(".md")) {
              PAGES.put(file, Files.readAllLines(file));
            }
            if (name.matches(".*\\.(md|java|yaml|yml|xml|sh|py)|varve|run")) {
              SOURCES.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    assertThat(PAGES).containsKey(ROOT.resolve("README.md"));
  }

  /** Returns the lines of a page; those of code blocks are empty. */
  private static List<String> prose(List<String> page) {
    List<String> lines = new ArrayList<>();
    boolean inFence = false;
    for (String line : page) {
      boolean fence = line.stripLeading().startsWith("```");
      lines.add(inFence || fence || line.startsWith("    ") ? "" : line);
      inFence ^= fence;
    }
    return lines;
  }

  @Test
  void linesOfProseFitIntoAWindow() {
    List<String> found = new ArrayList<>();
    PAGES.forEach((file, page) -> {
      List<String> lines = prose(page);
      for (int i = 0; i < lines.size(); i++) {
        if (lines.get(i).length() > LINE_MAX && !lines.get(i).startsWith("|")) {
          found.add("%s:%d".formatted(ROOT.relativize(file), i + 1));
        }
      }
    });
    assertThat(found).as("lines of more than %d characters", LINE_MAX).isEmpty();
  }

  @Test
  void everyPageHasOneTitleAndItIsFirst() {
    PAGES.forEach((file, page) -> {
      assertThat(page.getFirst()).as("first line of %s", ROOT.relativize(file)).startsWith("# ");
      assertThat(prose(page).stream().filter(line -> line.startsWith("# ")))
          .as("titles of %s", ROOT.relativize(file))
          .hasSize(1);
    });
  }

  @Test
  void linksLeadSomewhere() {
    List<String> dead = new ArrayList<>();
    PAGES.forEach((file, page) -> {
      for (String line : prose(page)) {
        Matcher link = LINK.matcher(CODE.matcher(line).replaceAll("code"));
        while (link.find()) {
          if (!link.group(1).matches("(?i)(https?|mailto):.*") && !leads(file, link.group(1))) {
            dead.add("%s: %s".formatted(ROOT.relativize(file), link.group(1)));
          }
        }
      }
    });
    assertThat(dead).as("dead links").isEmpty();
  }

  @Test
  void classesThatTheArchitectureNamesExist() {
    List<String> named = namedClasses();
    assertThat(named).hasSizeGreaterThan(30);
    assertThat(named)
        .allSatisfy(name -> {
          Path file = Path.of("java/dev/varve/" + name.replace('.', '/') + ".java");
          assertThat(SOURCES).as(name).anyMatch(source -> source.endsWith(file));
        });
  }

  /** A class on the way of a sample that does everything is one that nobody can change. */
  @Test
  void noClassThatTheArchitectureNamesIsAHub() throws IOException {
    for (String name : namedClasses()) {
      Path file = Path.of("java/dev/varve/" + name.replace('.', '/') + ".java");
      for (Path source : SOURCES) {
        if (source.endsWith(file)) {
          assertThat(linesOfCode(source)).as("lines of code of %s", name).isLessThanOrEqualTo(400);
        }
      }
    }
  }

  /** Counts lines other than imports, comments and empty ones. */
  private static long linesOfCode(Path source) throws IOException {
    try (Stream<String> lines = Files.lines(source)) {
      return lines
          .map(String::strip)
          .filter(line -> !line.isEmpty() && !line.startsWith("import "))
          .filter(line -> !line.startsWith("/*") && !line.startsWith("*") && !line.startsWith("//"))
          .count();
    }
  }

  /** A package of the engine that the page does not name is one that nobody finds. */
  @Test
  void theArchitectureNamesEveryPackageOfTheEngine() {
    Path engine = Path.of("engine/src/main/java/dev/varve/engine");
    List<String> packages =
        SOURCES.stream()
            .map(ROOT::relativize)
            .filter(source -> source.startsWith(engine) && source.endsWith("package-info.java"))
            .map(source -> engine.relativize(source.getParent()).toString())
            .filter(name -> !name.isEmpty())
            .toList();
    assertThat(packages).hasSizeGreaterThan(20);
    assertThat(String.join("\n", PAGES.get(ROOT.resolve("docs").resolve("architecture.md"))))
        .contains(packages.stream().map(name -> "`" + name + "`").toList());
  }

  private static List<String> namedClasses() {
    List<String> page =
        Objects.requireNonNull(PAGES.get(ROOT.resolve("docs").resolve("architecture.md")));
    return prose(page).stream()
        .flatMap(line -> CLASS_NAME.matcher(line).results().map(found -> found.group(1)))
        .toList();
  }

  private static boolean leads(Path from, String link) {
    int hash = link.indexOf('#');
    String path = hash < 0 ? link : link.substring(0, hash);
    Path target = path.isEmpty() ? from : from.resolveSibling(path).normalize();
    if (hash < 0) {
      return Files.exists(target);
    }
    List<String> page = PAGES.get(target);
    return page != null && anchors(page).contains(link.substring(hash + 1));
  }

  /** Returns the anchors that GitHub gives the headings of a page. */
  private static Set<String> anchors(List<String> page) {
    Set<String> anchors = new HashSet<>();
    for (String line : prose(page)) {
      if (line.startsWith("#")) {
        String text = line.replaceFirst("#+ ", "").replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1");
        String anchor =
            text.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
        for (int i = 1; !anchors.add(anchor); i++) {
          anchor = anchor.replaceFirst("(-\\d+)?$", "-" + i);
        }
      }
    }
    return anchors;
  }

  @Test
  void everyPageIsLinked() {
    Set<Path> linked = new HashSet<>();
    PAGES.forEach((file, page) -> {
      for (String line : page) {
        Matcher link = LINK.matcher(line);
        while (link.find()) {
          Path target = file.resolveSibling(link.group(1).replaceFirst("#.*", "")).normalize();
          linked.add(target);
          // A link to a folder shows its README.
          linked.add(target.resolve("README.md"));
          if (Files.isDirectory(target) && !PAGES.containsKey(target.resolve("README.md"))) {
            PAGES.keySet().stream()
                .filter(other -> target.equals(other.getParent()))
                .forEach(linked::add);
          }
        }
      }
    });
    linked.add(ROOT.resolve("README.md"));
    linked.add(ROOT.resolve("CHANGELOG.md"));
    assertThat(PAGES.keySet()).as("pages that no other page links").isSubsetOf(linked);
  }

  @Test
  void nothingIsMarkedAsLeftOver() throws IOException {
    Pattern marks = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|HA" + "CK)\\b");
    List<String> found = new ArrayList<>();
    for (Path file : SOURCES) {
      List<String> lines = Files.readAllLines(file);
      for (int i = 0; i < lines.size(); i++) {
        if (marks.matcher(lines.get(i)).find()) {
          found.add("%s:%d: %s".formatted(ROOT.relativize(file), i + 1, lines.get(i).strip()));
        }
      }
    }
    assertThat(found).isEmpty();
  }

  @Test
  void changelogIsSortedByKindAndArea() throws IOException {
    List<String> lines = Files.readAllLines(ROOT.resolve("CHANGELOG.md"));
    List<String> kinds =
        lines.stream()
            .filter(line -> line.startsWith("### "))
            .map(line -> line.substring("### ".length()))
            .toList();
    assertThat(kinds)
        .isSubsetOf(KINDS)
        .isSortedAccordingTo((one, other) -> KINDS.indexOf(one) - KINDS.indexOf(other));
    Map<String, List<String>> areas = new TreeMap<>();
    String kind = "";
    for (String line : lines) {
      if (line.startsWith("### ")) {
        kind = line.substring("### ".length());
      } else if (line.startsWith("- ") && !kind.equals("Added")) {
        assertThat(line).as("an entry of '%s' begins with its area", kind).matches("- [^:]+: .*");
        areas
            .computeIfAbsent(kind, key -> new ArrayList<>())
            .add(line.substring(2, line.indexOf(": ")).toLowerCase(Locale.ROOT));
      }
    }
    areas.forEach((key, found) -> assertThat(found).as("areas of '%s'", key).isSorted());
  }

  @Test
  void everyBreakingChangeSaysWhatItDemands() throws IOException {
    List<String> changes =
        beginnings("CHANGELOG.md", "### Breaking", Pattern.compile("- ([^:]+): .*"));
    assertThat(changes).hasSizeGreaterThan(10);
    assertThat(
            beginnings(
                "docs/upgrade.md",
                "## What each change demands",
                Pattern.compile("\\*\\*([^:]+)(?::.*|\\*\\*.*)")))
        .isEqualTo(changes);
  }

  /** Returns the first group of all lines of a section that match. */
  private static List<String> beginnings(String page, String section, Pattern form)
      throws IOException {
    return Files.readAllLines(ROOT.resolve(page)).stream()
        .dropWhile(line -> !line.equals(section))
        .skip(1)
        .takeWhile(line -> !line.startsWith("## ") && !line.startsWith("### "))
        .map(form::matcher)
        .filter(Matcher::matches)
        .map(line -> line.group(1))
        .toList();
  }
}
