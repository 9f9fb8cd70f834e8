package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The SBOMs that the build makes agree with what is shipped and with the page of licences. */
class SupplyChainIT {
  private static final Path ROOT = Checkout.root();
  private static final Map<String, Path> SHIPPED =
      Map.of(
          "program", ROOT.resolve("cli"),
          "bigtable", ROOT.resolve("stores/bigtable"),
          "hbase", ROOT.resolve("stores/hbase"),
          "cassandra", ROOT.resolve("stores/cassandra"));

  /**
   * A library.
   *
   * @param licences its choice of licences; empty if its makers name none
   */
  private record Library(String group, String name, String version, List<String> licences) {
    String coordinates() {
      return group + ":" + name + " " + version;
    }
  }

  private static List<Library> libraries(Path module) throws IOException {
    Path file = module.resolve("target/sbom.cdx.json");
    assertThat(file).as("made by ./mvnw -Pdist -DskipTests package").exists();
    Map<String, Object> sbom = Json.object(Files.readString(file));
    assertThat(sbom).containsEntry("bomFormat", "CycloneDX").containsEntry("specVersion", "1.6");
    List<Library> libraries = new ArrayList<>();
    for (Object component : (List<?>) sbom.getOrDefault("components", List.of())) {
      Map<String, Object> members = Json.members(component);
      String group = String.valueOf(members.get("group"));
      if (!group.equals("dev.varve")) {
        libraries.add(
            new Library(
                group,
                String.valueOf(members.get("name")),
                String.valueOf(members.get("version")),
                licences(members)));
      }
    }
    return libraries;
  }

  private static List<String> licences(Map<String, Object> component) {
    List<String> found = new ArrayList<>();
    if (component.get("licenses") instanceof List<?> choices) {
      for (Object choice : choices) {
        Map<String, Object> members = Json.members(choice);
        if (members.containsKey("expression")) {
          found.add(String.valueOf(members.get("expression")));
        } else {
          Map<String, Object> licence = Json.members(members.get("license"));
          found.add(String.valueOf(licence.getOrDefault("id", licence.get("name"))));
        }
      }
    }
    return found;
  }

  @Test
  void theArchiveHoldsTheLibrariesOfItsSbom() throws Exception {
    Set<String> listed = new TreeSet<>();
    for (Library library : libraries(ROOT.resolve("cli"))) {
      listed.add(library.name() + "-" + library.version() + ".jar");
    }
    Set<String> packed =
        Checkout.run(new ProcessBuilder("tar", "-tzf", Distribution.archive().toString()))
            .success()
            .lines()
            .filter(line -> line.matches("[^/]+/lib/.*\\.jar"))
            .map(line -> line.substring(line.lastIndexOf('/') + 1))
            .filter(name -> !name.startsWith("varve"))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(packed).isEqualTo(listed);
  }

  @Test
  void thePageOfDependenciesIsRightAndEveryLicenceIsPermitted() throws IOException {
    Map<String, Set<String>> parts = new TreeMap<>();
    Map<String, Library> all = new TreeMap<>();
    for (Map.Entry<String, Path> shipped : SHIPPED.entrySet()) {
      for (Library library : libraries(shipped.getValue())) {
        all.put(library.coordinates(), library);
        parts.computeIfAbsent(library.coordinates(), key -> new TreeSet<>()).add(shipped.getKey());
      }
    }
    String page = Files.readString(ROOT.resolve("docs/operations/dependencies.md"));
    Set<String> permitted =
        Pattern.compile("(?m)^- `([^`]+)`")
            .matcher(page)
            .results()
            .map(match -> match.group(1))
            .collect(Collectors.toSet());
    StringBuilder table = new StringBuilder();
    List<String> refused = new ArrayList<>();
    all.forEach((coordinates, library) -> {
      String licences = String.join(" or ", library.licences());
      table.append(
          "| %s | %s | %s |\n"
              .formatted(coordinates, licences, String.join(", ", parts.get(coordinates))));
      if (library.licences().stream().noneMatch(permitted::contains)) {
        refused.add(coordinates + ": " + licences);
      }
    });
    assertThat(refused).as("libraries without a licence of the list").isEmpty();
    assertThat(page).as("the right table is:\n%s", table).contains(table);
  }
}
