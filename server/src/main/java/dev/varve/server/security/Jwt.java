package dev.varve.server.security;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A signed token (RFC 7515, RFC 7519) as it was sent. Nothing in it may be trusted before its
 * signature is verified.
 *
 * @param algorithm the algorithm by which it claims to be signed
 * @param keyId the id of the key with which it claims to be signed; null if it names none
 */
record Jwt(
    JwtAlgorithm algorithm,
    @Nullable String keyId,
    Map<String, @Nullable Object> claims,
    byte[] signed,
    byte[] signature) {
  /** Maximum length of a token in characters. */
  static final int LENGTH_MAX = 16 << 10;

  /** Thrown for a malformed token. The message never quotes the token. */
  static final class MalformedException extends Exception {
    private static final long serialVersionUID = 1;

    private MalformedException(String message) {
      super(message);
    }
  }

  /** Returns whether a bearer token has the form of a signed token. */
  static boolean looksLike(String token) {
    return token.startsWith("ey") && token.chars().filter(c -> c == '.').count() == 2;
  }

  /**
   * Reads a token.
   *
   * @throws MalformedException if the text is not a JWT, or is signed with an algorithm that is not
   *     allowed
   */
  static Jwt read(String token) throws MalformedException {
    if (token.length() > LENGTH_MAX) {
      throw new MalformedException("the token is longer than %,d bytes".formatted(LENGTH_MAX));
    }
    String[] parts = token.split("\\.", -1);
    if (parts.length != 3) {
      throw new MalformedException("the token is not signed as a JWT is");
    }
    Map<String, @Nullable Object> header = object(parts[0]);
    JwtAlgorithm algorithm = JwtAlgorithm.of(header.get("alg"));
    if (algorithm == null) {
      throw new MalformedException(
          "the token is signed with an algorithm that is not taken; taken are "
              + List.of(JwtAlgorithm.values()));
    }
    if (header.containsKey("crit")) {
      throw new MalformedException("the token demands an extension that is not known here");
    }
    String keyId = header.get("kid") instanceof String text ? text : null;
    byte[] signed = token.substring(0, token.lastIndexOf('.')).getBytes(StandardCharsets.US_ASCII);
    return new Jwt(algorithm, keyId, object(parts[1]), signed, decoded(parts[2]));
  }

  private static Map<String, @Nullable Object> object(String part) throws MalformedException {
    try {
      return JsonText.object(decoded(part));
    } catch (IllegalArgumentException e) {
      throw new MalformedException("the token is no JWT");
    }
  }

  private static byte[] decoded(String part) throws MalformedException {
    try {
      return Base64.getUrlDecoder().decode(part);
    } catch (IllegalArgumentException e) {
      throw new MalformedException("the token is no JWT");
    }
  }

  /** Returns whether a key signed the token. */
  boolean isSignedBy(VerifyKey key) {
    return (key.algorithm() == null || key.algorithm() == algorithm)
        && algorithm.takes(key.key())
        && algorithm.verifies(key.key(), signed, signature);
  }

  /** Returns a claim that is a time, in seconds since 1970; null if it is absent or no number. */
  @Nullable Double time(String name) {
    return claims.get(name) instanceof Double seconds ? seconds : null;
  }

  /** Leaves out what is secret. */
  @Override
  public String toString() {
    return "a token signed with " + algorithm;
  }
}
