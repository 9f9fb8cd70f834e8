package dev.varve.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The console as files to serve: one page, and below {@link #FOLDER} the modules and styles.
 * Immutable.
 *
 * <p>The name of a file contains the hash of its content, so that browsers may keep it for ever. An
 * import map in the page translates the names in the sources. The map is the only inline script,
 * and the security policy admits it by its hash. All addresses are relative, so that the console
 * works behind a proxy that strips a prefix.
 */
public final class Console {
  /** Folder of all files but the page, relative to the page. */
  public static final String FOLDER = "console/";

  private static final String JAVASCRIPT = "text/javascript; charset=utf-8";
  private static final String STYLES = "text/css; charset=utf-8";
  private static final String ENTRY = "main.js";

  private final Map<String, WebFile> files = new LinkedHashMap<>();
  private final WebFile page;
  private final String policy;

  private static final class Holder {
    static final Console INSTANCE = new Console();
  }

  /** Returns the console, which is prepared on the first call. */
  public static Console get() {
    return Holder.INSTANCE;
  }

  private Console() {
    Map<String, String> addresses = new TreeMap<>();
    libraries().forEach((name, path) -> addresses.put(name, add(name.replace('/', '-'), path)));
    for (String name : ownFiles()) {
      addresses.put("./" + FOLDER + name, add(name, "dev/varve/web/" + name));
    }
    String imports = importMap(addresses);
    this.policy = policy(WebFile.sourceHash(imports));
    this.page = page(addresses, imports);
  }

  /** Returns the page. */
  public WebFile page() {
    return page;
  }

  /**
   * Returns a file below {@link #FOLDER}; null if there is none of that name.
   *
   * @param name as the page and the import map name it, with its hash
   */
  public @Nullable WebFile file(String name) {
    return files.get(name);
  }

  /** Returns all files but the page, by name. */
  Map<String, WebFile> files() {
    return files;
  }

  /**
   * Returns the Content-Security-Policy of the page. It forbids inline code, other origins, frames,
   * and every way to make markup or code of a string.
   */
  public String policy() {
    return policy;
  }

  private static String policy(String importMap) {
    return String.join(
        "; ",
        "default-src 'none'",
        "script-src 'self' " + importMap,
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'");
  }

  /** Adds a file and returns its address. */
  private String add(String name, String resource) {
    String file = name.indexOf('.') < 0 ? name + ".js" : name;
    int dot = file.lastIndexOf('.');
    WebFile content = new WebFile(contentType(file), read(resource));
    String hashed = file.substring(0, dot) + "." + content.hash() + file.substring(dot);
    files.put(hashed, content);
    return "./" + FOLDER + hashed;
  }

  private static String contentType(String name) {
    return switch (name.substring(name.lastIndexOf('.'))) {
      case ".css" -> STYLES;
      case ".svg" -> "image/svg+xml";
      case ".js" -> JAVASCRIPT;
      default -> throw new IllegalStateException("a file of unknown type: " + name);
    };
  }

  private static String importMap(Map<String, String> addresses) {
    return addresses.entrySet().stream()
        .filter(entry -> entry.getValue().endsWith(".js"))
        .map(entry -> "\"%s\":\"%s\"".formatted(entry.getKey(), entry.getValue()))
        .collect(Collectors.joining(",", "{\"imports\":{", "}}"));
  }

  private static WebFile page(Map<String, String> addresses, String imports) {
    String preloads =
        addresses.values().stream()
            .filter(address -> address.endsWith(".js"))
            .map("<link rel=\"modulepreload\" href=\"%s\">\n"::formatted)
            .collect(Collectors.joining());
    String html =
        text("dev/varve/web/index.html")
            .replace("{imports}", imports)
            .replace("{preloads}", preloads)
            .replace("{icon}", address(addresses, "icon.svg"))
            .replace("{styles}", address(addresses, "console.css"))
            .replace("{chart-styles}", String.valueOf(addresses.get("uplot.css")))
            .replace("{entry}", address(addresses, ENTRY));
    return new WebFile("text/html; charset=utf-8", html.getBytes(UTF_8));
  }

  private static String address(Map<String, String> addresses, String name) {
    return String.valueOf(addresses.get("./" + FOLDER + name));
  }

  /** Returns the files in files.txt, one a line; a test compares it with the folder. */
  static List<String> ownFiles() {
    return text("dev/varve/web/files.txt").lines().filter(line -> !line.isBlank()).toList();
  }

  private static Map<String, String> libraries() {
    Properties properties = new Properties();
    try {
      properties.load(new StringReader(text("dev/varve/web/libraries.properties")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, String> libraries = new TreeMap<>();
    properties
        .stringPropertyNames()
        .forEach(name -> libraries.put(name, properties.getProperty(name)));
    return libraries;
  }

  private static String text(String resource) {
    return new String(read(resource), UTF_8);
  }

  private static byte[] read(String resource) {
    try (InputStream in = Console.class.getClassLoader().getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("the console's file " + resource + " is missing");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("the console's file " + resource + " cannot be read", e);
    }
  }
}
