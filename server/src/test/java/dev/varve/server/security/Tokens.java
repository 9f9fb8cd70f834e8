package dev.varve.server.security;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.EdECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs tokens as issuers do. */
final class Tokens {
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  private Tokens() {}

  static KeyPair rsa(int bits) {
    return generated("RSA", Integer.toString(bits));
  }

  /** Generates a pair of keys of a curve, such as {@code secp256r1} or {@code Ed25519}. */
  static KeyPair ofCurve(String curve) {
    return generated(curve.equals("Ed25519") ? curve : "EC", curve);
  }

  private static KeyPair generated(String algorithm, String size) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
      if (algorithm.equals("RSA")) {
        generator.initialize(Integer.parseInt(size));
      } else if (algorithm.equals("EC")) {
        generator.initialize(new ECGenParameterSpec(size));
      }
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  static String pem(PublicKey key) {
    return "-----BEGIN PUBLIC KEY-----\n%s\n-----END PUBLIC KEY-----\n"
        .formatted(Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key.getEncoded()));
  }

  /** Returns a signed token with the given members of its header beside the algorithm. */
  static String signed(String algorithm, PrivateKey key, String header, String claims) {
    String text =
        encoded("{\"alg\":\"%s\"%s}".formatted(algorithm, header)) + "." + encoded(claims);
    try {
      return text + "." + BASE64.encodeToString(signature(algorithm, key, text.getBytes(US_ASCII)));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] signature(String algorithm, PrivateKey key, byte[] text)
      throws GeneralSecurityException {
    String bits = algorithm.substring(2);
    Signature signature =
        Signature.getInstance(
            switch (algorithm.substring(0, 2)) {
              case "RS" -> "SHA%swithRSA".formatted(bits);
              case "PS" -> "RSASSA-PSS";
              case "ES" -> "SHA%swithECDSAinP1363Format".formatted(bits);
              default -> "Ed25519";
            });
    if (algorithm.startsWith("PS")) {
      String hash = "SHA-" + bits;
      signature.setParameter(
          new PSSParameterSpec(
              hash, "MGF1", new MGF1ParameterSpec(hash), Integer.parseInt(bits) / 8, 1));
    }
    signature.initSign(key);
    signature.update(text);
    return signature.sign();
  }

  /** Returns a token whose secret is a public key, by which some libraries were deceived. */
  static String withPublicKeyAsSecret(PublicKey key, String claims) {
    String text = encoded("{\"alg\":\"HS256\"}") + "." + encoded(claims);
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(pem(key).getBytes(US_ASCII), "HmacSHA256"));
      return text + "." + BASE64.encodeToString(mac.doFinal(text.getBytes(US_ASCII)));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  static String encoded(String text) {
    return BASE64.encodeToString(text.getBytes(UTF_8));
  }

  /** Returns a key as an issuer publishes it. */
  static String jwk(String id, PublicKey key) {
    String members =
        switch (key) {
          case RSAPublicKey rsa ->
              "\"kty\":\"RSA\",\"n\":\"%s\",\"e\":\"%s\""
                  .formatted(number(rsa.getModulus(), 0), number(rsa.getPublicExponent(), 0));
          case ECPublicKey ec -> {
            int bits = ec.getParams().getCurve().getField().getFieldSize();
            int size = (bits + 7) / 8;
            yield "\"kty\":\"EC\",\"crv\":\"P-%d\",\"x\":\"%s\",\"y\":\"%s\""
                .formatted(
                    bits,
                    number(ec.getW().getAffineX(), size),
                    number(ec.getW().getAffineY(), size));
          }
          case EdECPublicKey edwards -> {
            // The last 32 bytes of the encoded key are those of RFC 8032.
            byte[] all = edwards.getEncoded();
            byte[] point = Arrays.copyOfRange(all, all.length - 32, all.length);
            yield "\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"%s\""
                .formatted(BASE64.encodeToString(point));
          }
          default -> throw new AssertionError(key.getAlgorithm());
        };
    return "{\"kid\":\"%s\",\"use\":\"sig\",%s}".formatted(id, members);
  }

  private static String number(BigInteger value, int size) {
    byte[] bytes = value.toByteArray();
    int from = bytes[0] == 0 ? 1 : 0;
    byte[] padded = new byte[Math.max(size, bytes.length - from)];
    System.arraycopy(
        bytes, from, padded, padded.length - (bytes.length - from), bytes.length - from);
    return BASE64.encodeToString(padded);
  }

  static String set(List<String> keys) {
    return keys.stream().collect(Collectors.joining(",", "{\"keys\":[", "]}"));
  }
}
