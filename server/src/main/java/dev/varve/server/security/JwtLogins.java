package dev.varve.server.security;

import dev.varve.server.http.Caller;
import dev.varve.server.http.HttpError;
import dev.varve.server.security.JwtRule.Keys;
import dev.varve.server.security.JwtRule.Keys.Given;
import dev.varve.server.security.JwtRule.Keys.Published;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds the user of a signed token. Thread-safe. */
final class JwtLogins implements AutoCloseable {
  /** The message about a token that no known key signed. */
  static final String FOREIGN = "the token is signed by nobody who is known here";

  private final Clock clock;
  private final Issuer.Pace pace;
  private final Map<Published, Issuer> issuers = new ConcurrentHashMap<>();
  private boolean closed;

  JwtLogins(Clock clock, Issuer.Pace pace) {
    this.clock = clock;
    this.pace = pace;
  }

  /**
   * The result of a verification: the caller, or the reason why there is none.
   *
   * @param isGenuine whether a known key signed the token, so that its sender did not guess
   */
  record Verdict(@Nullable Caller caller, String reason, boolean isGenuine) {}

  /** Fetches the keys of the issuers of these users, and no longer of others. */
  synchronized void use(List<User> users) {
    Set<Published> wanted =
        users.stream()
            .map(User::jwt)
            .filter(rule -> rule != null && rule.keys() instanceof Published)
            .map(rule -> (Published) rule.keys())
            .collect(Collectors.toSet());
    issuers
        .entrySet()
        .removeIf(entry -> {
          boolean isGone = !wanted.contains(entry.getKey());
          if (isGone) {
            entry.getValue().close();
          }
          return isGone;
        });
    if (!closed) {
      wanted.forEach(one -> issuers.computeIfAbsent(one, absent -> new Issuer(absent, pace)));
    }
  }

  /**
   * Decides about a token. The first user whose rule it satisfies is its sender.
   *
   * @throws HttpError 503 if the keys of an issuer were never fetched
   */
  Verdict verify(String token, List<User> users) {
    Jwt jwt;
    try {
      jwt = Jwt.read(token);
    } catch (Jwt.MalformedException e) {
      return new Verdict(null, String.valueOf(e.getMessage()), false);
    }
    long now = clock.instant().getEpochSecond();
    Map<Keys, Boolean> signed = new HashMap<>();
    String reason = FOREIGN;
    boolean isKeyless = false;
    for (User user : users) {
      JwtRule rule = user.jwt();
      // A signature costs more than a comparison of issuers, which is repeated below.
      if (rule == null || isOfAnother(rule, jwt)) {
        continue;
      }
      Keys keys = rule.keys();
      List<VerifyKey> candidates = signed.containsKey(keys) ? List.of() : candidates(keys, jwt);
      isKeyless |= candidates == null;
      if (signed.computeIfAbsent(keys, absent -> isSigned(jwt, candidates))) {
        String objection = rule.objection(jwt, now);
        if (objection == null) {
          return new Verdict(user.caller(), "", true);
        }
        reason = objection;
      }
    }
    if (isKeyless) {
      throw new HttpError(
          503, "the keys of the token's issuer are not known yet", Duration.ofSeconds(5));
    }
    return new Verdict(null, reason, !reason.equals(FOREIGN));
  }

  private static boolean isOfAnother(JwtRule rule, Jwt jwt) {
    return rule.issuer() != null && !rule.issuer().equals(jwt.claims().get("iss"));
  }

  private static boolean isSigned(Jwt jwt, @Nullable List<VerifyKey> candidates) {
    return candidates != null && candidates.stream().anyMatch(jwt::isSignedBy);
  }

  private @Nullable List<VerifyKey> candidates(Keys keys, Jwt jwt) {
    return switch (keys) {
      case Given given -> given.keys();
      case Published published -> {
        Issuer issuer = issuers.get(published);
        // Requests of operators run on a few platform threads, which must remain free.
        yield issuer == null ? null : issuer.keys(jwt.keyId(), Thread.currentThread().isVirtual());
      }
    };
  }

  /** Returns the number of fetches of keys that failed. */
  long failures() {
    return issuers.values().stream().mapToLong(Issuer::failures).sum();
  }

  @Override
  public synchronized void close() {
    closed = true;
    issuers.values().forEach(Issuer::close);
  }
}
