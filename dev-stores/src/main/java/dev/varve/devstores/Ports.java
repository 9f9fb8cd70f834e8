package dev.varve.devstores;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Free ports of a loopback address. */
public final class Ports {
  private Ports() {}

  /** A port that nobody listens on. */
  public static int free() {
    return free("127.0.0.1", 1).getFirst();
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
