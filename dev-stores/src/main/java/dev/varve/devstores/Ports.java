package dev.varve.devstores;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Free ports of a loopback address. */
public final class Ports {
  private Ports() {}

  /** A port that nobody listens on. */
  public static int free() {
    return free("127.0.0.1", 1).getFirst();
  }

  /**
   * The ports of the last call with this directory, so that what was configured with them goes on
   * when a store is started again; others where one of them is taken by now.
   *
   * @param directory takes a file that remembers them; made where it is missing
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

  /** Different ports that nobody listens on. */
  public static List<Integer> free(String address, int count) {
    if (count == 0) {
      return new ArrayList<>();
    }
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(address))) {
      // Held open until the others are found, so that all are different.
      List<Integer> ports = free(address, count - 1);
      ports.addFirst(socket.getLocalPort());
      return ports;
    } catch (IOException e) {
      throw new DevStoreException("no free port of " + address + ": " + e.getMessage(), e);
    }
  }
}
