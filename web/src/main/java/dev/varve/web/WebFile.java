package dev.varve.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;

/** A file of the console. Immutable; callers must not change the bytes. */
public final class WebFile {
  private static final int HASH_DIGITS = 12;

  private final String contentType;
  private final byte[] bytes;
  private final String hash;

  WebFile(String contentType, byte[] bytes) {
    this.contentType = contentType;
    this.bytes = bytes;
    this.hash = HexFormat.of().formatHex(sha256(bytes)).substring(0, HASH_DIGITS);
  }

  public String contentType() {
    return contentType;
  }

  public byte[] bytes() {
    return bytes;
  }

  /** Returns the beginning of the SHA-256 of the bytes, in hexadecimal. */
  public String hash() {
    return hash;
  }

  /** Returns the hash of a text as a Content-Security-Policy names it. */
  static String sourceHash(String text) {
    byte[] digest = sha256(text.getBytes(UTF_8));
    return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
