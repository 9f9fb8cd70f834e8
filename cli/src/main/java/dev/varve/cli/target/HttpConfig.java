package dev.varve.cli.target;

import dev.varve.cli.io.Failures;
import dev.varve.server.config.ConfigException;
import dev.varve.server.config.ConfigNode;
import dev.varve.server.config.ConfigReader;
import dev.varve.server.security.ClientTls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The credentials of a command for a server, and the servers that it trusts, in the format of
 * promtool's {@code --http.config.file}.
 *
 * @param authorization value of the header of that name; null for none
 * @param tls null for Java's defaults
 */
public record HttpConfig(@Nullable String authorization, @Nullable SSLContext tls) {
  /** No credentials, and trust in servers with certificates that Java trusts. */
  static final HttpConfig NONE = new HttpConfig(null, null);

  /** Leaves out what is secret. */
  @Override
  public String toString() {
    return "HttpConfig";
  }

  /**
   * Reads a file.
   *
   * @throws ConfigException with all problems
   */
  static HttpConfig read(Path file) {
    return new Reading(file).read();
  }

  /** The reading of one file. */
  private static final class Reading {
    private final List<String> problems = new ArrayList<>();
    private final Path file;
    private final Path folder;

    Reading(Path file) {
      this.file = file;
      Path parent = file.toAbsolutePath().getParent();
      this.folder = parent == null ? Path.of("") : parent;
    }

    HttpConfig read() {
      ConfigReader reader = new ConfigReader(parse(), "", problems);
      reader.passOver(List.of("basic_auth", "authorization", "tls_config"));
      String authorization = authorization(reader);
      SSLContext tls = reader.has("tls_config") ? tls(reader.below("tls_config"), reader) : null;
      // Accepted because promtool's users have them; commands follow no redirects.
      reader.choice("follow_redirects", List.of("true", "false"), "false");
      reader.choice("enable_http2", List.of("true", "false"), "false");
      reader.refuseUnknown();
      if (!problems.isEmpty()) {
        throw new ConfigException(problems.stream().map(problem -> file + ": " + problem).toList());
      }
      return new HttpConfig(authorization, tls);
    }

    private ConfigNode.Mapping parse() {
      try {
        if (ConfigNode.parse(Files.readString(file), file.toString(), true)
            instanceof ConfigNode.Mapping mapping) {
          return mapping;
        }
        throw new ConfigException(List.of(file + ": a mapping of keys and values is expected"));
      } catch (IOException e) {
        throw new ConfigException(List.of("cannot read '" + file + "': " + Failures.message(e)));
      }
    }

    private @Nullable String authorization(ConfigReader reader) {
      List<String> found = new ArrayList<>();
      if (reader.has("basic_auth")) {
        ConfigReader basic = reader.below("basic_auth");
        String user = text(basic, "username");
        String password = text(basic, "password");
        basic.refuseUnknown();
        String proof = (user == null ? "" : user) + ":" + (password == null ? "" : password);
        found.add(
            "Basic " + Base64.getEncoder().encodeToString(proof.getBytes(StandardCharsets.UTF_8)));
      }
      if (reader.has("authorization")) {
        ConfigReader given = reader.below("authorization");
        String credentials = text(given, "credentials");
        found.add(given.text("type", "Bearer") + " " + (credentials == null ? "" : credentials));
        given.refuseUnknown();
      }
      String token = text(reader, "bearer_token");
      if (token != null) {
        found.add("Bearer " + token);
      }
      if (found.size() > 1) {
        reader.problem("authorization", "basic_auth and bearer_token exclude each other");
      }
      return found.isEmpty() ? null : found.getFirst();
    }

    /** Reads a text, or the file that another key names, without the line break at its end. */
    private @Nullable String text(ConfigReader reader, String key) {
      String inline = reader.text(key);
      Path named = reader.path(key + "_file", folder);
      if (inline != null && named != null) {
        reader.problem(key, "and " + key + "_file exclude each other");
      }
      if (named == null) {
        return inline;
      }
      try {
        return Files.readString(named).strip();
      } catch (IOException e) {
        reader.problem(key + "_file", "cannot be read: " + Failures.message(e));
        return null;
      }
    }

    private @Nullable SSLContext tls(ConfigReader reader, ConfigReader whole) {
      String authorities = text(reader, "ca");
      String certificate = text(reader, "cert");
      String key = text(reader, "key");
      boolean trustsAll =
          reader.choice("insecure_skip_verify", List.of("true", "false"), "false").equals("true");
      reader.refuseUnknown();
      if ((certificate == null) != (key == null)) {
        reader.problem("cert_file", "and key_file belong together");
      }
      if (!problems.isEmpty()) {
        return null;
      }
      try {
        return ClientTls.context(authorities, certificate, key, trustsAll);
      } catch (GeneralSecurityException e) {
        whole.problem("tls_config", "cannot be used: " + e.getMessage());
        return null;
      }
    }
  }
}
