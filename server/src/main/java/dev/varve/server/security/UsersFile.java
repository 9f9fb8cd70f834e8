package dev.varve.server.security;

import dev.varve.engine.catalog.SeriesBounds;
import dev.varve.query.promql.Expr;
import dev.varve.query.promql.Modifiers;
import dev.varve.query.promql.PromQl;
import dev.varve.query.promql.PromQlException;
import dev.varve.query.promql.eval.Matchers;
import dev.varve.server.config.ConfigException;
import dev.varve.server.config.ConfigReader;
import dev.varve.server.http.Right;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the file that gives users their rights, with vmauth's keys. */
final class UsersFile {
  private static final List<Right> RIGHTS =
      List.of(Right.READ, Right.WRITE, Right.DELETE, Right.ADMIN);

  private final List<String> problems = new ArrayList<>();
  private final Set<String> taken = new HashSet<>();
  private final Map<String, String> passwords;

  /** The folder to which paths in the file are relative. */
  private final Path folder;

  private UsersFile(Path file, Map<String, String> passwords) {
    Path parent = file.toAbsolutePath().getParent();
    this.folder = parent == null ? Path.of("") : parent;
    this.passwords = passwords;
  }

  /**
   * Reads a file.
   *
   * @param passwords bcrypt hashes of users whose password is in the other file, by name
   * @throws ConfigException with all problems
   */
  static List<User> read(Path file, Map<String, String> passwords) {
    return new UsersFile(file, passwords).users(file);
  }

  private List<User> users(Path file) {
    ConfigReader reader = new ConfigReader(WebConfig.parse(file), "", problems);
    List<User> users = new ArrayList<>();
    for (ConfigReader item : reader.list("users")) {
      users.add(user(item));
    }
    reader.refuseUnknown();
    if (users.isEmpty() && problems.isEmpty()) {
      problems.add("users: none is listed, so nobody could use the server");
    }
    if (!problems.isEmpty()) {
      throw new ConfigException(problems);
    }
    return users;
  }

  private User user(ConfigReader item) {
    String username = item.text("username");
    String named = item.text("name");
    String password = item.text("password");
    String token = item.text("bearer_token");
    String certificate = item.text("client_certificate");
    if (password != null && password.isEmpty()) {
      item.problem("password", "is empty");
    }
    if (password == null && username != null) {
      password = passwords.get(username);
    }
    if (password != null && username == null) {
      item.problem("password", "needs a username");
    }
    if (password != null && password.startsWith("$2") && Passwords.problem(password) != null) {
      item.problem("password", String.valueOf(Passwords.problem(password)));
    }
    JwtRule jwt = item.has("jwt") ? new JwtSection(item.below("jwt"), folder).rule() : null;
    boolean isProvable =
        password != null || token != null || certificate != null || item.has("jwt");
    if (!isProvable) {
      item.problem(
          "username",
          "has nothing to prove it with: give a password, a bearer_token, a client_certificate or a jwt, or a hash in basic_auth_users");
    }
    String name = name(item, username, named, certificate);
    once(item, "username", "user ", name);
    once(item, "bearer_token", "token ", token);
    once(item, "client_certificate", "certificate ", certificate);
    Set<Right> rights = rights(item);
    Set<String> datasets = item.has("datasets") ? Set.copyOf(item.texts("datasets")) : null;
    SeriesBounds bounds = bounds(item);
    item.refuseUnknown();
    return new User(name, password, token, certificate, jwt, rights, datasets, bounds);
  }

  /** Reads the selector of the series that a user may use; null for all. */
  private static @Nullable SeriesBounds bounds(ConfigReader item) {
    String text = item.text("matchers");
    if (text == null) {
      return null;
    }
    try {
      if (PromQl.parse(text) instanceof Expr.VectorSelector selector
          && selector.modifiers().equals(Modifiers.NONE)) {
        return new SeriesBounds(Matchers.selector(selector.matchers()), text);
      }
      item.problem("matchers", "'%s' is no selector such as {team=\"a\"}".formatted(text));
    } catch (PromQlException | IllegalArgumentException e) {
      item.problem(
          "matchers",
          "'%s' is no selector such as {team=\"a\"}: %s".formatted(text, e.getMessage()));
    }
    return null;
  }

  private static String name(
      ConfigReader item,
      @Nullable String username,
      @Nullable String named,
      @Nullable String certificate) {
    for (String name : new @Nullable String[] {username, named, certificate}) {
      if (name != null && !name.isEmpty()) {
        return name;
      }
    }
    item.problem("name", "is missing: a user without username needs one for the logs");
    return "";
  }

  /** Records a problem if two users have the same name or secret. */
  private void once(ConfigReader item, String key, String kind, @Nullable String value) {
    if (value != null && value.isEmpty()) {
      item.problem(key, "is empty");
    } else if (value != null && !taken.add(kind + value)) {
      item.problem(key, "is that of another user too");
    }
  }

  private static Set<Right> rights(ConfigReader item) {
    Set<Right> rights = EnumSet.noneOf(Right.class);
    for (String word : item.texts("rights")) {
      List<Right> found = RIGHTS.stream().filter(right -> right.word().equals(word)).toList();
      if (found.isEmpty()) {
        item.problem(
            "rights",
            "'%s' is none of read, write, delete, admin".formatted(word.toLowerCase(Locale.ROOT)));
      }
      rights.addAll(found);
    }
    if (!item.has("rights")) {
      item.problem("rights", "are missing (a list of read, write, delete and admin)");
    }
    return rights;
  }
}
