package dev.varve.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rules that the sources of the console follow, and what is made of them. */
class ConsoleTest {
  private static final Path SOURCES = Path.of("src/main/resources/dev/varve/web");
  private static final Pattern IMPORT =
      Pattern.compile("(?m)^(?:import .*? from|} from|import) '([^']+)';$");

  /** Ways to make markup or code of a string, to leave the origin, and to keep cookies. */
  private static final Pattern FORBIDDEN =
      Pattern.compile(
          "innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|createContextualFragment"
              + "|document\\.(write|cookie)|DOMParser|\\beval\\(|new Function|setAttribute\\("
              + "|localStorage|https?://");

  private final Console console = Console.get();

  private static List<Path> sources() throws IOException {
    try (Stream<Path> all = Files.walk(SOURCES)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static String name(Path source) {
    return SOURCES.relativize(source).toString();
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(ConsoleTest.class.getClassLoader().getResourceAsStream(name))) {
      return in.readAllBytes();
    }
  }

  @Test
  void everyFileIsServed() throws IOException {
    assertThat(Console.ownFiles())
        .containsExactlyInAnyOrderElementsOf(
            sources().stream()
                .map(ConsoleTest::name)
                .filter(name -> !name.equals("files.txt") && !name.equals("index.html"))
                .toList());
  }

  @Test
  void noSourceMakesMarkupOrCodeOfText() throws IOException {
    for (Path source : sources()) {
      if (!source.toString().endsWith(".svg")) {
        Matcher found = FORBIDDEN.matcher(Files.readString(source));
        assertThat(found.find() ? name(source) + ": " + found.group() : "").isEmpty();
      }
    }
  }

  @Test
  void everyImportIsInTheMap() throws IOException {
    String page = new String(console.page().bytes(), UTF_8);
    int imports = 0;
    for (Path source : sources()) {
      if (source.toString().endsWith(".js")) {
        Matcher found = IMPORT.matcher(Files.readString(source));
        while (found.find()) {
          imports++;
          String named = found.group(1);
          String key =
              named.startsWith(".")
                  ? "./console/" + name(source.resolveSibling(named).normalize())
                  : named;
          assertThat(page)
              .as("imports of " + name(source))
              .contains("\"" + key + "\":\"./console/");
        }
      }
    }
    assertThat(imports).isGreaterThan(20);
  }

  @Test
  void theNamesOfFilesContainTheirHash() {
    assertThat(console.files()).hasSizeGreaterThan(10);
    for (Map.Entry<String, WebFile> file : console.files().entrySet()) {
      assertThat(file.getKey()).contains("." + file.getValue().hash() + ".");
      assertThat(console.file(file.getKey())).isSameAs(file.getValue());
    }
    assertThat(console.file("main.js")).isNull();
    assertThat(console.file("../index.html")).isNull();
  }

  /** Otherwise the types that CI checks are not those of what is served. */
  @Test
  void typesAreCheckedAgainstTheServedLibraries() throws IOException {
    String checked = Files.readString(Path.of("package.json"));
    Matcher served =
        Pattern.compile("webjars/([a-z]+)/([\\d.]+)/")
            .matcher(new String(resource("dev/varve/web/libraries.properties"), UTF_8));
    int libraries = 0;
    while (served.find()) {
      libraries++;
      assertThat(checked).contains("\"%s\": \"%s\"".formatted(served.group(1), served.group(2)));
    }
    assertThat(libraries).isGreaterThan(2);
  }

  @Test
  void thePolicyAdmitsTheOnlyInlineScript() {
    String page = new String(console.page().bytes(), UTF_8);
    assertThat(page).doesNotContain("{imports}", "{preloads}", "{entry}", "{styles}", "null");
    Matcher scripts = Pattern.compile("<script([^>]*)>([^<]*)</script>").matcher(page);
    List<String> inline = new ArrayList<>();
    while (scripts.find()) {
      if (!scripts.group(2).isEmpty()) {
        inline.add(WebFile.sourceHash(scripts.group(2)));
      } else {
        assertThat(scripts.group(1)).contains("src=\"./console/main.");
      }
    }
    assertThat(inline).hasSize(1);
    assertThat(console.policy())
        .contains("script-src 'self' " + inline.getFirst() + ";")
        .contains("frame-ancestors 'none'", "require-trusted-types-for 'script'")
        .doesNotContain("unsafe", "*", "http");
  }

  @Test
  void noAddressLeavesThePage() {
    String page = new String(console.page().bytes(), UTF_8);
    Matcher addresses = Pattern.compile("(?:href|src)=\"([^\"]*)\"").matcher(page);
    while (addresses.find()) {
      assertThat(addresses.group(1)).startsWith("./console/");
      assertThat(console.file(addresses.group(1).substring("./console/".length()))).isNotNull();
    }
  }
}
