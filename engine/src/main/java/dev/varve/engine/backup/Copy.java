package dev.varve.engine.backup;

import dev.varve.store.PrivateDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Copies and reads files with checksums, durably. */
final class Copy {
  private static final int BUFFER_BYTES = 1 << 20;

  private Copy() {}

  /**
   * Copies a file, syncs the copy and returns the SHA-256 of the bytes that were read, in
   * hexadecimal digits.
   */
  static String copy(Path from, Path to) throws IOException {
    MessageDigest digest = digest();
    try (FileChannel in = FileChannel.open(from, StandardOpenOption.READ);
        FileChannel out =
            FileChannel.open(
                to,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
      ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
      while (in.read(buffer) >= 0) {
        digest.update(buffer.array(), 0, buffer.flip().limit());
        while (buffer.hasRemaining()) {
          out.write(buffer);
        }
        buffer.clear();
      }
      out.force(true);
    }
    return hex(digest);
  }

  /** Reads a file and returns its SHA-256 in hexadecimal digits. */
  static String checksum(Path file) throws IOException {
    MessageDigest digest = digest();
    try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
      while (in.read(buffer) >= 0) {
        digest.update(buffer.array(), 0, buffer.flip().limit());
        buffer.clear();
      }
    }
    return hex(digest);
  }

  static String checksum(String text) {
    MessageDigest digest = digest();
    digest.update(text.getBytes(StandardCharsets.UTF_8));
    return hex(digest);
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static String hex(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Writes a file so that after a crash it is there as a whole or not at all. */
  static void write(Path file, String text) throws IOException {
    Path draft = file.resolveSibling(file.getFileName() + ".new");
    try (FileChannel channel =
        FileChannel.open(
            draft,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    sync(parent(file));
  }

  /** Makes the names in a directory durable. */
  static void sync(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Creates a directory that only its owner may enter, durably. */
  static void makeDirectory(Path directory) throws IOException {
    PrivateDirectory.make(directory);
    sync(parent(directory));
  }

  static Path parent(Path file) {
    Path parent = file.toAbsolutePath().getParent();
    return parent == null ? file.toAbsolutePath() : parent;
  }
}
