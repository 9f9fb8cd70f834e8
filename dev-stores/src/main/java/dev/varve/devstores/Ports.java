package dev.varve.devstores;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** Finds free ports of a loopback address. */
public final class Ports {
  private static final int FIRST = 15_000;

  /** Below the ports of outgoing connections, which begin at 32768 on Linux. */
  private static final int END = 32_000;

  private static final int TRIES_MAX = 1_000;

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

  /**
   * Returns distinct free ports. None of them is one that the system gives to outgoing connections,
   * which could take it before the server does.
   */
  public static List<Integer> free(String address, int count) {
    Set<Integer> ports = new LinkedHashSet<>();
    for (int tries = 0; ports.size() < count; tries++) {
      if (tries == TRIES_MAX) {
        throw new DevStoreException(
            "found %d of %d free ports of %s from %d to %d"
                .formatted(ports.size(), count, address, FIRST, END - 1));
      }
      int port = ThreadLocalRandom.current().nextInt(FIRST, END);
      if (isFree(address, port)) {
        ports.add(port);
      }
    }
    return new ArrayList<>(ports);
  }
}
