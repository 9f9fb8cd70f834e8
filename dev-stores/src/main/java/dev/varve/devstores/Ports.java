package dev.varve.devstores;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Finds free ports of a loopback address. */
public final class Ports {
  private Ports() {}

  /** Returns a free port. */
  public static int free() {
    return free("127.0.0.1", 1).getFirst();
  }

  /**
   * Returns the ports of the last call with this directory, so that clients configured with them
   * continue to work when a store is restarted. Returns other ports if one of them is in use.
   *
   * @param directory holds a file that remembers the ports; created if missing
   */
  public static List<Integer> kept(Path directory, String address, int count) {
    Path file = directory.resolve("ports");
    try {
      if (Files.exists(file)) {
        List<Integer> former =
            Files.readAllLines(file).stream().map(line -> Integer.valueOf(line.strip())).toList();
        if (former.size() == count && former.stream().allMatch(port -> isFree(address, port))) {
          return former;
        }
      }
      List<Integer> ports = free(address, count);
      Files.createDirectories(directory);
      Files.write(file, ports.stream().map(String::valueOf).toList());
      return ports;
    } catch (IOException | NumberFormatException e) {
      throw new DevStoreException(
          "cannot keep the ports of a store in %s: %s".formatted(file, e.getMessage()), e);
    }
  }

  private static boolean isFree(String address, int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName(address))) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns distinct free ports. */
  public static List<Integer> free(String address, int count) {
    if (count == 0) {
      return new ArrayList<>();
    }
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(address))) {
      // Kept open until the others are found, so that all are distinct.
      List<Integer> ports = free(address, count - 1);
      ports.addFirst(socket.getLocalPort());
      return ports;
    } catch (IOException e) {
      throw new DevStoreException("no free port of " + address + ": " + e.getMessage(), e);
    }
  }
}
