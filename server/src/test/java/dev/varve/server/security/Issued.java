package dev.varve.server.security;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.HexFormat;

/**
 * Certificates that a test issues itself, since those of files cannot expire while it runs.
 *
 * @param key of the certificate
 */
record Issued(X509Certificate certificate, KeyPair key) {
  private static final String ECDSA_WITH_SHA256 = "06082a8648ce3d040302";
  private static final String COMMON_NAME = "0603550403";
  private static final String ALTERNATIVE_NAMES = "0603551d11";
  private static final String BASIC_CONSTRAINTS = "0603551d13";
  private static final String TRUE = "0101ff";

  private static final int SEQUENCE = 0x30;
  private static final int SET = 0x31;
  private static final int OCTETS = 0x04;
  private static final int BITS = 0x03;
  private static final int NUMBER = 0x02;
  private static final int TEXT = 0x0c;
  private static final int TIME = 0x17;
  private static final int DNS_NAME = 0x82;
  private static final int FIRST = 0xa0;
  private static final int FOURTH = 0xa3;

  private static final DateTimeFormatter UTC =
      DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

  /** Returns an authority. */
  static Issued authority() {
    KeyPair key = Tokens.ofCurve("secp256r1");
    byte[] constraints = sequence(hex(BASIC_CONSTRAINTS), hex(TRUE), octets(sequence(hex(TRUE))));
    return signed("ca", "ca", key, key, Instant.now().plusSeconds(86_400), constraints);
  }

  /** Returns a certificate of a client, signed by this authority. */
  Issued client(String dnsName, Instant end) {
    byte[] names =
        sequence(
            hex(ALTERNATIVE_NAMES),
            octets(sequence(der(DNS_NAME, dnsName.getBytes(StandardCharsets.US_ASCII)))));
    return signed(dnsName, "ca", Tokens.ofCurve("secp256r1"), key, end, names);
  }

  private static Issued signed(
      String subject, String issuer, KeyPair key, KeyPair by, Instant end, byte[] extension) {
    byte[] algorithm = sequence(hex(ECDSA_WITH_SHA256));
    byte[] body =
        sequence(
            der(FIRST, der(NUMBER, new byte[] {2})),
            der(NUMBER, new byte[] {(byte) (subject.equals(issuer) ? 1 : 2)}),
            algorithm,
            name(issuer),
            sequence(time(Instant.now().minusSeconds(86_400)), time(end)),
            name(subject),
            key.getPublic().getEncoded(),
            der(FOURTH, sequence(extension)));
    try {
      Signature signature = Signature.getInstance("SHA256withECDSA");
      signature.initSign(by.getPrivate());
      signature.update(body);
      byte[] whole = sequence(body, algorithm, der(BITS, new byte[1], signature.sign()));
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      return new Issued(
          (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(whole)), key);
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  String pem() {
    try {
      return "-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n"
          .formatted(Base64.getMimeEncoder().encodeToString(certificate.getEncoded()));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  /** Waits until the certificate has expired. */
  void expire() throws InterruptedException {
    long left = certificate.getNotAfter().toInstant().toEpochMilli() - System.currentTimeMillis();
    Thread.sleep(Math.max(0, left) + 1_000);
  }

  private static byte[] name(String text) {
    byte[] value = der(TEXT, text.getBytes(StandardCharsets.UTF_8));
    return sequence(der(SET, sequence(hex(COMMON_NAME), value)));
  }

  private static byte[] time(Instant time) {
    return der(TIME, UTC.format(time).getBytes(StandardCharsets.US_ASCII));
  }

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text);
  }

  private static byte[] sequence(byte[]... parts) {
    return der(SEQUENCE, parts);
  }

  private static byte[] octets(byte[] content) {
    return der(OCTETS, content);
  }

  /** Encodes a value with its tag and length. */
  private static byte[] der(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    int length = content.size();
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    whole.write(tag);
    if (length >= 0x100) {
      whole.write(0x82);
      whole.write(length >> 8);
    } else if (length >= 0x80) {
      whole.write(0x81);
    }
    whole.write(length);
    whole.writeBytes(content.toByteArray());
    return whole.toByteArray();
  }
}
