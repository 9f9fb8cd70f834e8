package dev.varve.server.security;

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

/** Reads the file that gives users their rights, in the words of vmauth. */
final class UsersFile {
  private static final List<Right> RIGHTS =
      List.of(Right.READ, Right.WRITE, Right.DELETE, Right.ADMIN);

  private final List<String> problems = new ArrayList<>();
  private final Set<String> taken = new HashSet<>();
  private final Map<String, String> passwords;

  private UsersFile(Map<String, String> passwords) {
    this.passwords = passwords;
  }

  /**
   * Reads a file.
   *
   * @param passwords bcrypt hashes of users whose password stands in the other file, by name
   * @throws ConfigException with all problems
   */
  static List<User> read(Path file, Map<String, String> passwords) {
    return new UsersFile(passwords).users(file);
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
    if (password == null && token == null && certificate == null) {
      item.problem(
          "username",
          "has nothing to prove it with: give a password, a bearer_token or a client_certificate, or a hash in basic_auth_users");
    }
    String name = name(item, username, named, certificate);
    once(item, "username", "user ", name);
    once(item, "bearer_token", "token ", token);
    once(item, "client_certificate", "certificate ", certificate);
    Set<Right> rights = rights(item);
    Set<String> datasets = item.has("datasets") ? Set.copyOf(item.texts("datasets")) : null;
    item.refuseUnknown();
    return new User(name, password, token, certificate, rights, datasets);
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
