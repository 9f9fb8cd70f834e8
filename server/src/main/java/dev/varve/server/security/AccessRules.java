package dev.varve.server.security;

import dev.varve.server.config.ConfigException;
import dev.varve.server.http.Caller;
import dev.varve.server.http.Right;
import dev.varve.server.http.TlsTerms;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The rules of the web file and of the users file, read at one time. Immutable. */
public final class AccessRules {
  private final WebConfig web;
  private final @Nullable TlsTerms tls;
  private final @Nullable List<User> users;
  private final Map<String, User> byName = new LinkedHashMap<>();
  private final Map<String, User> byToken = new LinkedHashMap<>();

  private final List<User> byJwt;

  /** Cost of the slowest hash of all passwords; 0 if there is none. */
  private final int passwordCost;

  private AccessRules(WebConfig web, @Nullable TlsTerms tls, @Nullable List<User> users) {
    this.web = web;
    this.tls = tls;
    this.users = users;
    this.byJwt =
        users == null ? List.of() : users.stream().filter(user -> user.jwt() != null).toList();
    for (User user : users == null ? List.<User>of() : users) {
      byName.put(user.name(), user);
      String token = user.token();
      if (token != null) {
        byToken.put(digest(token), user);
      }
    }
    this.passwordCost =
        (users == null ? web.users().values().stream() : users.stream().map(User::password))
            .filter(Objects::nonNull)
            .mapToInt(Passwords::cost)
            .max()
            .orElse(0);
  }

  /**
   * Reads both files, and the certificates that they name.
   *
   * @throws ConfigException with all problems, each of which begins with the file's name
   */
  public static AccessRules read(AccessFiles files) {
    WebConfig web = WebConfig.NONE;
    TlsTerms tls = null;
    Path webFile = files.web();
    if (webFile != null) {
      try {
        web = WebConfig.read(webFile);
        tls = web.tls() == null ? null : web.tls().terms();
      } catch (ConfigException e) {
        throw of(webFile, e);
      }
    }
    Path usersFile = files.users();
    try {
      return new AccessRules(
          web, tls, usersFile == null ? null : UsersFile.read(usersFile, web.users()));
    } catch (ConfigException e) {
      throw of(Objects.requireNonNull(usersFile), e);
    }
  }

  private static ConfigException of(Path file, ConfigException e) {
    return new ConfigException(
        e.problems().stream().map(problem -> file + ": " + problem).toList());
  }

  /** Returns whether senders of requests must prove who they are. */
  public boolean authenticates() {
    return users != null || !web.users().isEmpty() || certificatesSuffice();
  }

  /** Returns whether a verified certificate is all that a client needs. */
  private boolean certificatesSuffice() {
    TlsSettings settings = web.tls();
    return users == null
        && web.users().isEmpty()
        && settings != null
        && settings.clients() == TlsSettings.ClientAuth.RequireAndVerifyClientCert;
  }

  /** Returns whether clients may have certificates that the server verifies. */
  public boolean verifiesCertificates() {
    TlsSettings settings = web.tls();
    return settings != null && settings.clients().verifies();
  }

  /** Returns whether a certificate may identify a client. */
  public boolean knowsCertificates() {
    return verifiesCertificates() && (users != null || certificatesSuffice());
  }

  /** Returns whether connections are encrypted. */
  public boolean encrypts() {
    return tls != null;
  }

  @Nullable TlsTerms tls() {
    return tls;
  }

  WebConfig web() {
    return web;
  }

  /** Returns the files that the two name, which are read again when they change. */
  List<Path> files() {
    List<Path> files = new ArrayList<>(web.files());
    for (User user : jwtUsers()) {
      switch (Objects.requireNonNull(user.jwt()).keys()) {
        case JwtRule.Keys.Given given -> files.addAll(given.files());
        case JwtRule.Keys.Published published when published.file() != null ->
            files.add(published.file());
        case JwtRule.Keys.Published _ -> {
          // Java's own authorities.
        }
      }
    }
    return files;
  }

  /** Returns the users who may have signed tokens, in the order of the file. */
  List<User> jwtUsers() {
    return byJwt;
  }

  /** Returns why rules cannot take the place of these while the server runs; null if they can. */
  @Nullable String cannotBecome(AccessRules next) {
    if (encrypts() != next.encrypts()) {
      return "TLS is switched on or off by a restart alone";
    }
    if (authenticates() && !next.authenticates()) {
      return "authentication is switched off by a restart alone";
    }
    return encrypts()
            && Objects.requireNonNull(web.tls()).clients()
                != Objects.requireNonNull(next.web.tls()).clients()
        ? "client_auth_type changes by a restart alone"
        : null;
  }

  /** Returns the caller of a name that needs no proof; null if there is no such user. */
  public @Nullable Caller named(String name) {
    User user = byName.get(name);
    if (user != null) {
      return user.caller();
    }
    return users == null && (web.users().containsKey(name) || certificatesSuffice())
        ? Caller.withAllRights(name)
        : null;
  }

  /** Returns the expected password of a user. */
  Passwords.Wanted password(String name) {
    User user = byName.get(name);
    String secret = users == null ? web.users().get(name) : user == null ? null : user.password();
    return new Passwords.Wanted(secret, passwordCost);
  }

  /** Returns the caller with a bearer token; null if nobody has it. */
  @Nullable Caller withToken(String token) {
    // Looked up by its digest, so that the time of a comparison tells nothing.
    User user = byToken.get(digest(token));
    return user == null ? null : user.caller();
  }

  /** Returns the caller with a certificate; null if it identifies nobody. */
  public @Nullable Caller withCertificate(@Nullable X509Certificate certificate) {
    if (certificate == null || !verifiesCertificates() || !isValid(certificate)) {
      return null;
    }
    List<String> names = ClientNames.all(certificate);
    if (certificatesSuffice()) {
      return Caller.withAllRights(
          names.isEmpty() ? certificate.getSubjectX500Principal().getName() : names.getLast());
    }
    for (User user : users == null ? List.<User>of() : users) {
      String name = user.certificate();
      if (name != null && names.contains(name)) {
        return user.caller();
      }
    }
    return null;
  }

  /** Returns whether a certificate, which was verified when its connection began, is valid now. */
  private static boolean isValid(X509Certificate certificate) {
    try {
      certificate.checkValidity();
      return true;
    } catch (CertificateException e) {
      return false;
    }
  }

  /** Returns the rights of each user, for messages. */
  public List<String> names() {
    List<String> names = new ArrayList<>(byName.keySet());
    if (users == null) {
      names.addAll(web.users().keySet().stream().sorted().toList());
    }
    return names;
  }

  static String digest(String token) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(sha.digest(token.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** Returns whether a caller may write to a dataset. */
  public static boolean mayWrite(Caller caller, String dataset) {
    return caller.may(Right.WRITE) && caller.mayUse(dataset);
  }
}
