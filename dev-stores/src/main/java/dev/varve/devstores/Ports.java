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
    List<ServerSocket> sockets = new ArrayList<>();
    List<Integer> ports = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(address));
        sockets.add(socket);
        ports.add(socket.getLocalPort());
      }
      return ports;
    } catch (IOException e) {
      throw new DevStoreException("no free port of " + address + ": " + e.getMessage(), e);
    } finally {
      for (ServerSocket socket : sockets) {
        try {
          socket.close();
        } catch (IOException e) {
          throw new DevStoreException("a port cannot be freed: " + e.getMessage(), e);
        }
      }
    }
  }
}
