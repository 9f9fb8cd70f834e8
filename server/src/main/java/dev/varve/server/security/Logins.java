package dev.varve.server.security;

import dev.varve.server.http.Caller;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.RateLimitedLog;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Verifies the credentials of requests. Thread-safe. */
final class Logins implements AutoCloseable {
  private static final RateLimitedLog LOG = new RateLimitedLog("login");

  /** Prefix of the name under which wrong tokens are limited. No user name has a colon. */
  private static final String TOKENS = ":tokens";

  /** The answer to all wrong passwords and tokens. */
  private static final String WRONG = "name and password, or token, are wrong";

  /** Why a login failed. */
  private enum Failure {
    MISSING,
    MALFORMED,
    USER,
    PASSWORD,
    TOKEN,
    JWT,
    CERTIFICATE,
    LIMITED,
    LINES
  }

  private final JwtLogins jwts = new JwtLogins(Clock.systemUTC(), Issuer.Pace.DEFAULT);
  private final Attempts attempts = new Attempts(System::nanoTime);
  private final Passwords passwords = new Passwords(attempts);
  private final Map<Failure, AtomicLong> failures = new ConcurrentHashMap<>();

  Logins() {
    for (Failure failure : Failure.values()) {
      failures.put(failure, new AtomicLong());
    }
  }

  /**
   * Returns the sender of a request.
   *
   * @throws HttpError 401, 429 or 503
   */
  Caller identify(Exchange exchange, AccessRules rules) {
    String header = exchange.header("Authorization");
    if (header == null) {
      return byCertificate(exchange, rules);
    }
    int space = header.indexOf(' ');
    String scheme = space < 0 ? header : header.substring(0, space).toLowerCase(Locale.ROOT);
    String proof = space < 0 ? "" : header.substring(space + 1).strip();
    return switch (scheme) {
      case "basic" -> byPassword(exchange, rules, decoded(exchange, proof));
      // Influx' clients; those of its first version send a name and a password.
      case "token" ->
          proof.indexOf(':') < 0
              ? byToken(exchange, rules, proof)
              : byPassword(exchange, rules, proof);
      case "bearer" -> byToken(exchange, rules, proof);
      default ->
          throw refuse(
              exchange, Failure.MALFORMED, "the header Authorization is neither Basic nor Bearer");
    };
  }

  /** Prepares for other rules: fetches the keys of their issuers. */
  void use(AccessRules rules) {
    jwts.use(rules.jwtUsers());
  }

  private Caller byCertificate(Exchange exchange, AccessRules rules) {
    var certificate = exchange.clientCertificate();
    Caller known = rules.withCertificate(certificate);
    if (known != null) {
      return known;
    }
    throw certificate == null || !rules.verifiesCertificates()
        ? refuse(
            exchange,
            Failure.MISSING,
            "this server asks who you are: name and password are missing")
        : refuse(
            exchange,
            Failure.CERTIFICATE,
            "no user has this certificate, and name and password are missing");
  }

  private String decoded(Exchange exchange, String proof) {
    try {
      byte[] bytes = Base64.getDecoder().decode(proof);
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (IllegalArgumentException | CharacterCodingException e) {
      throw refuse(
          exchange, Failure.MALFORMED, "the header Authorization holds no name and password");
    }
  }

  private Caller byPassword(Exchange exchange, AccessRules rules, String proof) {
    int colon = proof.indexOf(':');
    if (colon < 0) {
      throw refuse(
          exchange, Failure.MALFORMED, "the header Authorization holds no name and password");
    }
    String name = proof.substring(0, colon);
    String given = proof.substring(colon + 1);
    Passwords.Wanted wanted = rules.password(name);
    Caller caller = rules.named(name);
    boolean right = isRight(exchange, name, given, wanted);
    if (!right || caller == null) {
      throw refuse(exchange, wanted.secret() == null ? Failure.USER : Failure.PASSWORD, WRONG);
    }
    return caller;
  }

  private boolean isRight(Exchange exchange, String name, String given, Passwords.Wanted wanted) {
    try {
      return passwords.verify(exchange.clientAddress(), name, given, wanted);
    } catch (HttpError e) {
      if (e.status() == 429) {
        count(Failure.LIMITED, exchange.client());
      }
      throw e;
    }
  }

  private Caller byToken(Exchange exchange, AccessRules rules, String token) {
    // Each token has a limit of its own: an agent with an old one must not lock out its neighbours.
    String attempt = TOKENS + AccessRules.digest(token);
    limit(exchange, attempt);
    Caller known = rules.withToken(token);
    if (known != null) {
      return known;
    }
    if (!rules.jwtUsers().isEmpty() && Jwt.looksLike(token)) {
      return byJwt(exchange, rules, token, attempt);
    }
    attempts.failed(exchange.clientAddress(), attempt);
    throw refuse(exchange, Failure.TOKEN, WRONG);
  }

  private Caller byJwt(Exchange exchange, AccessRules rules, String token, String attempt) {
    JwtLogins.Verdict verdict = jwts.verify(token, rules.jwtUsers());
    Caller caller = verdict.caller();
    if (caller != null) {
      return caller;
    }
    // An agent whose token has expired must not lock out others behind its address.
    if (!verdict.isGenuine()) {
      attempts.failed(exchange.clientAddress(), attempt);
    }
    HttpError error = refuse(exchange, Failure.JWT, verdict.reason());
    exchange.header("WWW-Authenticate", "Bearer realm=\"varve\", error=\"invalid_token\"");
    throw error;
  }

  private void limit(Exchange exchange, String user) {
    try {
      attempts.require(exchange.clientAddress(), user);
    } catch (HttpError e) {
      count(Failure.LIMITED, exchange.client());
      throw e;
    }
  }

  private HttpError refuse(Exchange exchange, Failure failure, String message) {
    count(failure, exchange.client());
    exchange.header("WWW-Authenticate", "Basic realm=\"varve\"");
    return new HttpError(401, message);
  }

  private void count(Failure failure, String client) {
    failures.computeIfAbsent(failure, absent -> new AtomicLong()).incrementAndGet();
    LOG.warn(failure.name().toLowerCase(Locale.ROOT), 1, () -> "from " + client);
  }

  /** Counts a refused connection of a line protocol. */
  void refused(String client) {
    count(Failure.LINES, client);
  }

  Map<String, Double> figures() {
    Map<String, Double> figures = new TreeMap<>();
    failures.forEach((failure, count) ->
        figures.put(
            "login_failures_total{reason=\"%s\"}"
                .formatted(failure.name().toLowerCase(Locale.ROOT)),
            (double) count.get()));
    figures.put("issuer_fetch_failures_total", (double) jwts.failures());
    return figures;
  }

  @Override
  public void close() {
    passwords.close();
    jwts.close();
    LOG.flush();
  }
}
