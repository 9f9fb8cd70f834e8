package dev.varve.server.security;

import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.EdECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import org.jspecify.annotations.Nullable;

/**
 * The algorithms by which tokens may be signed (RFC 7518 and RFC 8037): only those with key pairs.
 * Each verifies with keys of its own kind, so that a token cannot choose how a key is used.
 */
enum JwtAlgorithm {
  RS256("SHA256withRSA", "RSA", 0),
  RS384("SHA384withRSA", "RSA", 0),
  RS512("SHA512withRSA", "RSA", 0),
  PS256("SHA-256", "PSS", 32),
  PS384("SHA-384", "PSS", 48),
  PS512("SHA-512", "PSS", 64),
  ES256("SHA256withECDSAinP1363Format", "EC", 256),
  ES384("SHA384withECDSAinP1363Format", "EC", 384),
  ES512("SHA512withECDSAinP1363Format", "EC", 521),
  EdDSA("Ed25519", "Ed25519", 0);

  /** Minimum size of an RSA key in bits. */
  static final int RSA_MIN = 2048;

  /** Maximum size of an RSA key in bits; verification with larger ones takes long. */
  static final int RSA_MAX = 8192;

  private final String signature;
  private final String kind;

  /** Bytes of the salt, or bits of the curve. */
  private final int size;

  JwtAlgorithm(String signature, String kind, int size) {
    this.signature = signature;
    this.kind = kind;
    this.size = size;
  }

  /** Returns the algorithm of a name; null for every other one, such as {@code none} and HMAC. */
  static @Nullable JwtAlgorithm of(@Nullable Object name) {
    for (JwtAlgorithm algorithm : values()) {
      if (algorithm.name().equals(name)) {
        return algorithm;
      }
    }
    return null;
  }

  /** Returns whether tokens may be verified with a key by any algorithm. */
  static boolean takesAny(PublicKey key) {
    for (JwtAlgorithm algorithm : values()) {
      if (algorithm.takes(key)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a key is of the kind that this algorithm verifies with. */
  boolean takes(PublicKey key) {
    return switch (key) {
      case RSAPublicKey rsa -> {
        int bits = rsa.getModulus().bitLength();
        yield (kind.equals("RSA") || kind.equals("PSS")) && bits >= RSA_MIN && bits <= RSA_MAX;
      }
      case ECPublicKey ec ->
          kind.equals("EC") && ec.getParams().getCurve().getField().getFieldSize() == size;
      case EdECPublicKey edwards ->
          kind.equals("Ed25519") && edwards.getParams().getName().equals("Ed25519");
      default -> false;
    };
  }

  /** Returns whether a signature is that of some bytes; the algorithm takes the key. */
  boolean verifies(PublicKey key, byte[] signed, byte[] by) {
    try {
      Signature verifier = Signature.getInstance(kind.equals("PSS") ? "RSASSA-PSS" : signature);
      if (kind.equals("PSS")) {
        MGF1ParameterSpec mask = new MGF1ParameterSpec(signature);
        verifier.setParameter(
            new PSSParameterSpec(signature, "MGF1", mask, size, PSSParameterSpec.TRAILER_FIELD_BC));
      }
      verifier.initVerify(key);
      verifier.update(signed);
      return verifier.verify(by);
    } catch (GeneralSecurityException e) {
      // A signature of another length or form.
      return false;
    }
  }
}
