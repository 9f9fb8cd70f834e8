package dev.varve.server.security;

import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.ECFieldFp;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.EdECPoint;
import java.security.spec.EdECPublicKeySpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.RSAPublicKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A public key that verifies tokens.
 *
 * @param id by which tokens name it; null if it has no name
 * @param algorithm the only one for which it is meant; null for all that take it
 */
record VerifyKey(@Nullable String id, @Nullable JwtAlgorithm algorithm, PublicKey key) {
  /** Maximum number of keys of a set that are kept. */
  private static final int KEYS_MAX = 100;

  private static final Map<String, String> CURVES =
      Map.of("P-256", "secp256r1", "P-384", "secp384r1", "P-521", "secp521r1");

  /**
   * Reads the keys of a JSON Web Key Set (RFC 7517) with which tokens may be verified. Other keys
   * are ignored: an issuer may have more kinds.
   *
   * @throws IllegalArgumentException if the bytes are not a key set
   */
  static List<VerifyKey> set(byte[] json) {
    if (!(JsonText.object(json).get("keys") instanceof List<?> items)) {
      throw new IllegalArgumentException("it has no list 'keys'");
    }
    List<VerifyKey> keys = new ArrayList<>();
    for (Object item : items) {
      VerifyKey key = item instanceof Map<?, ?> members ? one(members) : null;
      if (key != null && keys.size() < KEYS_MAX) {
        keys.add(key);
      }
    }
    return keys;
  }

  private static @Nullable VerifyKey one(Map<?, ?> members) {
    boolean signs = members.get("use") == null || "sig".equals(members.get("use"));
    boolean verifies = !(members.get("key_ops") instanceof List<?> uses) || uses.contains("verify");
    JwtAlgorithm algorithm = JwtAlgorithm.of(members.get("alg"));
    if (!signs || !verifies || (members.get("alg") != null && algorithm == null)) {
      return null;
    }
    try {
      PublicKey key = key(members);
      String id = members.get("kid") instanceof String text ? text : null;
      return key != null && JwtAlgorithm.takesAny(key) ? new VerifyKey(id, algorithm, key) : null;
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      return null;
    }
  }

  private static @Nullable PublicKey key(Map<?, ?> members) throws GeneralSecurityException {
    return switch (String.valueOf(members.get("kty"))) {
      case "RSA" ->
          KeyFactory.getInstance("RSA")
              .generatePublic(new RSAPublicKeySpec(number(members, "n"), number(members, "e")));
      case "EC" -> ofCurve(members);
      case "OKP" -> "Ed25519".equals(members.get("crv")) ? edwards(bytes(members, "x")) : null;
      default -> null;
    };
  }

  private static @Nullable PublicKey ofCurve(Map<?, ?> members) throws GeneralSecurityException {
    String curve = CURVES.get(String.valueOf(members.get("crv")));
    if (curve == null) {
      return null;
    }
    AlgorithmParameters named = AlgorithmParameters.getInstance("EC");
    named.init(new ECGenParameterSpec(curve));
    ECParameterSpec parameters = named.getParameterSpec(ECParameterSpec.class);
    ECPoint point = new ECPoint(number(members, "x"), number(members, "y"));
    return isOn(point, parameters)
        ? KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(point, parameters))
        : null;
  }

  /** Returns whether y² = x³ + ax + b: Java does not check this before it computes with a point. */
  private static boolean isOn(ECPoint point, ECParameterSpec of) {
    BigInteger prime = ((ECFieldFp) of.getCurve().getField()).getP();
    BigInteger x = point.getAffineX();
    BigInteger y = point.getAffineY();
    BigInteger right =
        x.pow(3).add(of.getCurve().getA().multiply(x)).add(of.getCurve().getB()).mod(prime);
    return x.compareTo(prime) < 0
        && y.compareTo(prime) < 0
        && y.multiply(y).mod(prime).equals(right);
  }

  /** Reads a point of RFC 8032: little-endian y, and the parity of x in the last bit. */
  private static PublicKey edwards(byte[] point) throws GeneralSecurityException {
    if (point.length != 32) {
      throw new IllegalArgumentException("a key of Ed25519 has 32 bytes");
    }
    byte[] big = new byte[point.length];
    for (int i = 0; i < point.length; i++) {
      big[point.length - 1 - i] = point[i];
    }
    boolean isOdd = (big[0] & 0x80) != 0;
    big[0] &= 0x7f;
    return KeyFactory.getInstance("Ed25519")
        .generatePublic(
            new EdECPublicKeySpec(
                NamedParameterSpec.ED25519, new EdECPoint(isOdd, new BigInteger(1, big))));
  }

  private static BigInteger number(Map<?, ?> members, String name) {
    return new BigInteger(1, bytes(members, name));
  }

  private static byte[] bytes(Map<?, ?> members, String name) {
    if (members.get(name) instanceof String text && text.length() <= 2 * JwtAlgorithm.RSA_MAX) {
      return Base64.getUrlDecoder().decode(text);
    }
    throw new IllegalArgumentException("the key has no text '" + name + "'");
  }
}
