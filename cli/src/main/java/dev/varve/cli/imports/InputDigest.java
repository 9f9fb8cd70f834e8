package dev.varve.cli.imports;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The digest by which an input is recognised: SHA-256. */
final class InputDigest {
  private static final int BUFFER = 1 << 18;

  private InputDigest() {}

  static MessageDigest begin() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has it", e);
    }
  }

  /** Returns the digest of what was added so far, to which more may be added. */
  static byte[] soFar(MessageDigest digest) {
    try {
      return ((MessageDigest) digest.clone()).digest();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("that of the JDK can be copied", e);
    }
  }

  /**
   * Reads the beginning of a file and returns its digest.
   *
   * @throws EOFException if the file is shorter
   */
  static byte[] of(Path file, long bytes) throws IOException {
    MessageDigest digest = begin();
    byte[] buffer = new byte[BUFFER];
    long left = bytes;
    try (InputStream in = Files.newInputStream(file)) {
      while (left > 0) {
        int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
        if (read < 0) {
          throw new EOFException(file + " has " + (bytes - left) + " bytes");
        }
        digest.update(buffer, 0, read);
        left -= read;
      }
    }
    return digest.digest();
  }
}
