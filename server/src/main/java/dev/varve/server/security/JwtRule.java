package dev.varve.server.security;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The conditions under which a signed token identifies a user.
 *
 * @param keys keys of their signers
 * @param issuer required claim {@code iss}; null for any
 * @param audiences one of them has to be in the claim {@code aud}; empty for any
 * @param claims required values of claims; a name with dots is a path into objects
 */
record JwtRule(
    Keys keys, @Nullable String issuer, List<String> audiences, Map<String, String> claims) {
  /** Seconds by which clocks may differ. */
  static final long LEEWAY = 30;

  /** The keys that verify tokens. */
  sealed interface Keys {
    /**
     * Keys of the users file.
     *
     * @param files from which some of them come
     */
    record Given(List<VerifyKey> keys, List<Path> files) implements Keys {
      public Given {
        keys = List.copyOf(keys);
        files = List.copyOf(files);
      }
    }

    /**
     * The keys that an issuer publishes.
     *
     * @param authorities PEM of the authorities that may sign its certificate; null for those of
     *     Java
     * @param file from which the authorities come; null for none
     */
    record Published(URI issuer, @Nullable String authorities, @Nullable Path file)
        implements Keys {}
  }

  JwtRule {
    audiences = List.copyOf(audiences);
    claims = Map.copyOf(claims);
  }

  /**
   * Returns why a token with a verified signature does not meet the conditions now; null if it
   * does.
   *
   * @param now in seconds since 1970
   */
  @Nullable String objection(Jwt token, long now) {
    Double expires = token.time("exp");
    Double begins = token.time("nbf");
    if (expires == null) {
      return "the token never expires, and such tokens are not taken";
    }
    if (now - LEEWAY >= expires) {
      return "the token has expired";
    }
    if (token.claims().get("nbf") != null && (begins == null || now + LEEWAY < begins)) {
      return "the token is not valid yet";
    }
    if (issuer != null && !issuer.equals(token.claims().get("iss"))) {
      return "the token is from another issuer";
    }
    if (!audiences.isEmpty() && audiences.stream().noneMatch(one -> has(token, "aud", one))) {
      return "the token is for another audience";
    }
    return claims.entrySet().stream()
            .allMatch(claim -> has(token, claim.getKey(), claim.getValue()))
        ? null
        : "the claims of the token are those of no user";
  }

  private static boolean has(Jwt token, String name, String value) {
    return switch (claim(token.claims(), name)) {
      case List<?> several -> several.contains(value);
      case String text -> text.equals(value);
      case Boolean truth -> truth.toString().equals(value);
      case Double number -> isNumber(number, value);
      case null, default -> false;
    };
  }

  private static boolean isNumber(double number, String text) {
    try {
      return Double.parseDouble(text) == number;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  /** Returns a claim by its name, or by a path of names. */
  private static @Nullable Object claim(Map<?, ?> members, String name) {
    int dot = name.indexOf('.');
    if (members.containsKey(name) || dot < 0) {
      return members.get(name);
    }
    return members.get(name.substring(0, dot)) instanceof Map<?, ?> below
        ? claim(below, name.substring(dot + 1))
        : null;
  }
}
