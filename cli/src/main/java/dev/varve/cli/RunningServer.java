package dev.varve.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The note in a data directory that says which server holds it, so that commands find the way to
 * it.
 */
public final class RunningServer {
  private static final String NAME = "server";
  private static final int CONNECT_MILLIS = 2000;

  private RunningServer() {}

  /** Notes where the server of a directory listens. */
  public static void note(Path data, URI address) {
    try {
      // Where all samples are in memory nothing else has made it.
      Files.createDirectories(data);
      Path fresh = data.resolve(NAME + ".new");
      Files.writeString(fresh, address + "\n" + ProcessHandle.current().pid() + "\n");
      Files.move(fresh, data.resolve(NAME), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static void forget(Path data) {
    try {
      Files.deleteIfExists(data.resolve(NAME));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Where the server listens that holds a directory; empty where none runs, also where one ended
   * without saying so.
   */
  public static Optional<URI> find(Path data) {
    try {
      java.util.List<String> lines = Files.readAllLines(data.resolve(NAME));
      boolean alive =
          lines.size() == 2 && ProcessHandle.of(Long.parseLong(lines.get(1))).isPresent();
      URI address = URI.create(lines.getFirst());
      return alive && answers(address) ? Optional.of(address) : Optional.empty();
    } catch (IOException | IllegalArgumentException | java.util.NoSuchElementException e) {
      return Optional.empty();
    }
  }

  /** A process of that number need not be the server: after a restart another one has it. */
  private static boolean answers(URI address) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(address.getHost(), address.getPort()), CONNECT_MILLIS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
