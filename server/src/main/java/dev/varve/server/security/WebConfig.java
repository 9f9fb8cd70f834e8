package dev.varve.server.security;

import dev.varve.server.config.ConfigException;
import dev.varve.server.config.ConfigNode;
import dev.varve.server.config.ConfigReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A file in the format of Prometheus' exporter-toolkit.
 *
 * @param tls null for ports without encryption
 * @param headers headers of every answer
 * @param users bcrypt hashes of passwords by user name
 * @param rate limit of requests to the whole server; null for none
 */
record WebConfig(
    @Nullable TlsSettings tls,
    Map<String, String> headers,
    Map<String, String> users,
    @Nullable RateLimit rate) {
  /** No TLS and no users. */
  static final WebConfig NONE = new WebConfig(null, Map.of(), Map.of(), null);

  /** Headers that the toolkit permits, with their permitted values; empty for any value. */
  private static final Map<String, List<String>> HEADERS =
      Map.of(
          "Strict-Transport-Security", List.of(),
          "Content-Security-Policy", List.of(),
          "X-Frame-Options", List.of("deny", "sameorigin"),
          "X-Content-Type-Options", List.of("nosniff"),
          "X-XSS-Protection", List.of());

  WebConfig {
    headers = Map.copyOf(headers);
    users = Map.copyOf(users);
  }

  /**
   * Reads a file.
   *
   * @throws ConfigException with all problems
   */
  static WebConfig read(Path file) {
    List<String> problems = new ArrayList<>();
    ConfigReader reader = new ConfigReader(parse(file), "", problems);
    reader.passOver(List.of("tls_server_config", "rate_limit"));
    Path folder = file.toAbsolutePath().getParent();
    TlsSettings tls =
        reader.has("tls_server_config")
            ? TlsSettings.read(
                reader.below("tls_server_config"), folder == null ? Path.of("") : folder)
            : null;
    ConfigReader http = reader.below("http_server_config");
    // Accepted, since HTTP/1.1 is what clients fall back to: HTTP/2 is not spoken.
    http.choice("http2", List.of("true", "false"), "true");
    Map<String, String> headers = headers(http.below("headers"));
    http.refuseUnknown();
    Map<String, String> users = users(reader.below("basic_auth_users"));
    RateLimit rate = reader.has("rate_limit") ? RateLimit.read(reader.below("rate_limit")) : null;
    reader.refuseUnknown();
    if (!problems.isEmpty()) {
      throw new ConfigException(problems);
    }
    return new WebConfig(tls, headers, users, rate);
  }

  /**
   * Parses a file that holds a mapping.
   *
   * @throws ConfigException if it cannot be read
   */
  static ConfigNode.Mapping parse(Path file) {
    try {
      Path name = file.getFileName();
      ConfigNode node =
          ConfigNode.parse(
              Files.readString(file), String.valueOf(name == null ? file : name), true);
      if (node instanceof ConfigNode.Mapping mapping) {
        return mapping;
      }
      throw new ConfigException(
          List.of(node.where() + ": a mapping of keys and values is expected"));
    } catch (NoSuchFileException e) {
      throw new ConfigException(List.of("there is no file '" + file + "'"));
    } catch (IOException e) {
      throw new ConfigException(List.of("cannot read '" + file + "': " + e.getMessage()));
    }
  }

  private static Map<String, String> headers(ConfigReader reader) {
    Map<String, String> headers = new LinkedHashMap<>();
    for (String name : HEADERS.keySet()) {
      String value = reader.text(name);
      List<String> permitted = HEADERS.getOrDefault(name, List.of());
      if (value != null && !value.isEmpty()) {
        if (!permitted.isEmpty() && !permitted.contains(value)) {
          reader.problem(name, "'" + value + "' is none of " + String.join(", ", permitted));
        } else if (value.codePoints().anyMatch(c -> c < ' ' || c > '~')) {
          reader.problem(name, "holds characters that no header may have");
        }
        headers.put(name, value);
      }
    }
    reader.refuseUnknown();
    return headers;
  }

  private static Map<String, String> users(ConfigReader reader) {
    Map<String, String> users = new LinkedHashMap<>();
    for (String name : reader.keys()) {
      String hash = reader.text(name);
      String problem = hash == null ? null : Passwords.problem(hash);
      if (name.isEmpty() || name.indexOf(':') >= 0) {
        reader.problem(name, "is no name for basic authentication, which has no ':'");
      } else if (problem != null) {
        reader.problem(name, problem);
      } else if (hash != null) {
        users.put(name, hash);
      }
    }
    return users;
  }

  /** Returns the files to watch besides the file itself. */
  List<Path> files() {
    return tls == null ? List.of() : tls.files();
  }

  /**
   * A limit of requests in total.
   *
   * @param interval time between two requests
   * @param burst requests that may come at once
   */
  record RateLimit(Duration interval, int burst) {
    static @Nullable RateLimit read(ConfigReader reader) {
      Duration interval = reader.duration("interval");
      int burst = reader.integer("burst", 0, Integer.MAX_VALUE, 0);
      reader.refuseUnknown();
      return interval == null || interval.isZero() ? null : new RateLimit(interval, burst);
    }
  }
}
