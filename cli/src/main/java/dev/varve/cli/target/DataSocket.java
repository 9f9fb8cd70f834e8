package dev.varve.cli.target;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The Unix socket in a data directory. Through it, the server of the directory answers commands of
 * the same user. In a copy of the directory the socket has no listener.
 */
public final class DataSocket {
  public static final String NAME = "server.sock";

  /**
   * Maximum length of a socket's path: the kernel accepts 108 bytes including a terminating zero.
   */
  private static final int PATH_BYTES_MAX = 107;

  private DataSocket() {}

  /**
   * Binds the socket and replaces one that a killed server has left behind. The caller must hold
   * the lock of the directory.
   */
  public static ServerSocketChannel listen(Path directory) throws IOException {
    Path socket = directory.resolve(NAME);
    Files.deleteIfExists(socket);
    ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      withShortPath(directory, path -> channel.bind(UnixDomainSocketAddress.of(path)));
      if (directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
      }
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /** Removes the socket when its server stops. */
  public static void remove(Path directory) throws IOException {
    Files.deleteIfExists(directory.resolve(NAME));
  }

  /**
   * Connects to the server.
   *
   * @throws IOException if no server listens
   */
  static SocketChannel connect(Path directory) throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      withShortPath(directory, path -> channel.connect(UnixDomainSocketAddress.of(path)));
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private interface Use {
    void accept(Path socket) throws IOException;
  }

  /** Connects through a symbolic link, for paths that are too long for the kernel. */
  private static void withShortPath(Path directory, Use use) throws IOException {
    Path socket = directory.resolve(NAME);
    if (socket.toString().getBytes(StandardCharsets.UTF_8).length <= PATH_BYTES_MAX) {
      use.accept(socket);
      return;
    }
    Path folder = Files.createTempDirectory("varve");
    Path link = folder.resolve("data");
    try {
      Files.createSymbolicLink(link, directory.toAbsolutePath());
      use.accept(link.resolve(NAME));
    } finally {
      Files.deleteIfExists(link);
      Files.deleteIfExists(folder);
    }
  }
}
