package dev.varve.server.security;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads certificates and private keys in PEM. Keys may be in PKCS #8, PKCS #1 (RSA) or SEC 1 (EC),
 * not encrypted.
 */
public final class Pem {
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----\\s*([A-Za-z0-9+/=\\s]*)-----END \\1-----");

  /** Object identifier of RSA keys with its NULL parameters, in DER. */
  private static final byte[] RSA = {
    0x30, 0x0d, 0x06, 0x09, 0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 1, 1, 1, 5, 0
  };

  /** Object identifier of EC keys, in DER. */
  private static final byte[] EC = {0x06, 0x07, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 2, 1};

  private static final int INTEGER = 0x02;
  private static final int BITS = 0x03;
  private static final int OCTETS = 0x04;
  private static final int SEQUENCE = 0x30;

  /** Tag of the curve in SEC 1. */
  private static final int CURVE = 0xa0;

  private Pem() {}

  private record Block(String type, byte[] der) {}

  private static List<Block> blocks(String text) throws GeneralSecurityException {
    List<Block> blocks = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(text);
    while (matcher.find()) {
      try {
        blocks.add(new Block(matcher.group(1), Base64.getMimeDecoder().decode(matcher.group(2))));
      } catch (IllegalArgumentException e) {
        throw new GeneralSecurityException("a " + matcher.group(1) + " is no base64", e);
      }
    }
    return blocks;
  }

  /**
   * Reads all certificates of a text.
   *
   * @throws GeneralSecurityException if there is none, or one is damaged
   */
  public static List<X509Certificate> certificates(String text) throws GeneralSecurityException {
    List<X509Certificate> certificates = new ArrayList<>();
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    for (Block block : blocks(text)) {
      if (block.type().equals("CERTIFICATE")) {
        certificates.add(
            (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(block.der())));
      }
    }
    if (certificates.isEmpty()) {
      throw new GeneralSecurityException("there is no '-----BEGIN CERTIFICATE-----' in it");
    }
    return certificates;
  }

  /**
   * Reads all public keys of a text: in SubjectPublicKeyInfo, PKCS #1 (RSA) or certificates.
   *
   * @throws GeneralSecurityException if there is none, or one is damaged
   */
  static List<PublicKey> publicKeys(String text) throws GeneralSecurityException {
    List<PublicKey> keys = new ArrayList<>();
    for (Block block : blocks(text)) {
      switch (block.type()) {
        case "PUBLIC KEY" -> keys.add(publicKey(block.der()));
        case "RSA PUBLIC KEY" -> {
          byte[] bits = new byte[block.der().length + 1];
          System.arraycopy(block.der(), 0, bits, 1, block.der().length);
          keys.add(publicKey(sequence(RSA, tagged(BITS, bits))));
        }
        case "CERTIFICATE" ->
            keys.add(
                CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(block.der()))
                    .getPublicKey());
        default ->
            throw new GeneralSecurityException(
                "a %s is in it, and public keys are expected".formatted(block.type()));
      }
    }
    if (keys.isEmpty()) {
      throw new GeneralSecurityException("there is no '-----BEGIN PUBLIC KEY-----' in it");
    }
    return keys;
  }

  private static PublicKey publicKey(byte[] der) throws GeneralSecurityException {
    X509EncodedKeySpec spec = new X509EncodedKeySpec(der);
    for (String algorithm : List.of("RSA", "EC", "EdDSA")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePublic(spec);
      } catch (InvalidKeySpecException e) {
        // A key of another algorithm.
      }
    }
    throw new GeneralSecurityException("the key is neither RSA, EC nor EdDSA, or it is damaged");
  }

  /**
   * Reads the first private key of a text.
   *
   * @throws GeneralSecurityException if there is none that can be read
   */
  public static PrivateKey key(String text) throws GeneralSecurityException {
    for (Block block : blocks(text)) {
      switch (block.type()) {
        case "PRIVATE KEY" -> {
          return key(block.der());
        }
        case "RSA PRIVATE KEY" -> {
          return key(sequence(integer(0), RSA, tagged(OCTETS, block.der())));
        }
        case "EC PRIVATE KEY" -> {
          byte[] algorithm = sequence(EC, curve(block.der()));
          return key(sequence(integer(0), algorithm, tagged(OCTETS, block.der())));
        }
        case "ENCRYPTED PRIVATE KEY" ->
            throw new GeneralSecurityException(
                "the key is encrypted; 'openssl pkey -in FILE -out FILE' decrypts it");
        default -> {
          // Certificates and parameters may precede the key.
        }
      }
    }
    throw new GeneralSecurityException("there is no '-----BEGIN PRIVATE KEY-----' in it");
  }

  private static PrivateKey key(byte[] pkcs8) throws GeneralSecurityException {
    PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(pkcs8);
    for (String algorithm : List.of("RSA", "EC", "EdDSA")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(spec);
      } catch (InvalidKeySpecException e) {
        // A key of another algorithm.
      }
    }
    throw new GeneralSecurityException("the key is neither RSA, EC nor EdDSA, or it is damaged");
  }

  /** Returns the curve that a key in SEC 1 names, in DER. */
  private static byte[] curve(byte[] sec1) throws GeneralSecurityException {
    try {
      int at = contents(sec1, 0);
      while (at < sec1.length) {
        int tag = sec1[at] & 0xff;
        int from = contents(sec1, at);
        int to = from + length(sec1, at);
        if (tag == CURVE) {
          return Arrays.copyOfRange(sec1, from, to);
        }
        at = to;
      }
    } catch (IndexOutOfBoundsException e) {
      throw new GeneralSecurityException("the key is damaged", e);
    }
    throw new GeneralSecurityException("the EC key names no curve");
  }

  /** Returns where the contents of an element begin. */
  private static int contents(byte[] der, int at) {
    int first = der[at + 1] & 0xff;
    return at + 2 + (first < 0x80 ? 0 : first & 0x7f);
  }

  private static int length(byte[] der, int at) {
    int first = der[at + 1] & 0xff;
    return first < 0x80
        ? first
        : new BigInteger(1, der, at + 2, first & 0x7f)
            .min(BigInteger.valueOf(der.length))
            .intValue();
  }

  private static byte[] integer(int small) {
    return new byte[] {INTEGER, 1, (byte) small};
  }

  private static byte[] sequence(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return tagged(SEQUENCE, all.toByteArray());
  }

  private static byte[] tagged(int tag, byte[] contents) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    if (contents.length < 0x80) {
      out.write(contents.length);
    } else {
      byte[] length = BigInteger.valueOf(contents.length).toByteArray();
      int skipped = length[0] == 0 ? 1 : 0;
      out.write(0x80 | (length.length - skipped));
      out.write(length, skipped, length.length - skipped);
    }
    out.writeBytes(contents);
    return out.toByteArray();
  }
}
